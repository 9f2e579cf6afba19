"""Posts: the words that name somebody, and the posts without them."""

import sharewell as sw
from sharewell.fiction import make_course

posts = make_course(students=40, seed=1, parts=("students", "posts")).posts

names = sw.posts.find_names(posts, text="message")
print(names.slice(0, 5).select(["word", "probability", "occurrences"]).to_pylist())
clean = sw.posts.redact(posts, text="message", names=names)
print(clean["message"][0].as_py())
