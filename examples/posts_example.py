"""Posts: names found and replaced. Run: python examples/posts_example.py"""

import pyarrow as pa

import sharewell as sw
from sharewell.demo import make_course


def main(students: int = 120) -> tuple[pa.Table, pa.Table]:
    course = make_course(students=students, parts=("students", "posts"))
    names = sw.posts.find_names(course.posts, text="message")
    clean = sw.posts.redact(course.posts, text="message", names=names)
    found = [row for row in names.to_pylist() if row["name"]]
    print(f"{len(found)} words taken for names, in {course.posts.num_rows} posts; the first five posts:")
    print(*clean["message"].to_pylist()[:5], sep="\n  ")
    return course.posts, clean


if __name__ == "__main__":
    main()
