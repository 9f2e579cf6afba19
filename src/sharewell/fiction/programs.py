"""What students type: lines of small programs and the comments around them (editors indent by themselves)."""

from collections.abc import Sequence

LINES: Sequence[str] = (
    "# read the numbers from the file and put them into a list",
    "# this is the part that was not clear to me in the lecture",
    "# the loop stops when there is nothing left to read",
    "# count how often each word appears in the sentence", "# we return the largest element so far",
    "# the teacher said that this should also work for an empty list",
    "# here another test for the last line of the input",
    "# then print the result and start again from the beginning",
    "# first sort the entries and then take the one in the middle",
    "# not sure whether there is an easier solution than this",
    "# the condition has to be tested before the element is removed",
    "# remember that the index starts at zero and ends one earlier",
    "# the area of the rectangle is the height times the width",
    "# in the other version there were three more parameters",
    "# this helper returns the interest after the given number of years",
    "# the student is stored together with the points of the exercise", "def total(values):",
    "def average(numbers):", "def contains(entries, wanted):", "def interest(rate, years):", "result = 0",
    "for value in values:", "result = result + value", "return result", "return result / len(numbers)",
    "counter = counter + 1", "while remaining > 0:", "remaining = remaining - 1", "if entry == wanted:",
    'print("the answer is", result)', "names.append(line.strip())", 'with open("points.txt") as lines:',
    "for index in range(len(entries)):", "smallest = min(smallest, entries[index])",
    'points = {"first": 12}', "if not entries or wanted is None:", 'raise ValueError("nothing to read")',
    "letters = sorted(set(sentence))", "matrix[row][column] += 1", "area = (height * width) / 2",
    'print(f"{name}: {points[name]}")', 'text = input("enter a sentence: ")',
    'words = text.lower().split(" ")', "assert total([1, 2, 3]) == 6", "class Student:",
    "self.points = points", 'lines = [line for line in lines if line != ""]', "import random",
    "number = random.randint(1, 100)", "return {**first, **second}",
)  # fmt: skip
