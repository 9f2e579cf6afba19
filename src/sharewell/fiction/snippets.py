"""Code and formulas that appear in posts."""

CODE = (
    "for i in range(10):\n    print(i)",
    "def area(w, h):\n    return w * h\n\nprint(area(3, 4))",
    "while n > 0:\n    n = n // 2\n    count += 1",
    "with open('data.txt') as f:\n    lines = f.readlines()",
    "if x == None:\n    x = 0\nelse:\n    x += 1",
    "words = text.split()\nfreq = {}\nfor w in words:\n    freq[w] = freq.get(w, 0) + 1",
    "Traceback (most recent call last):\n  File \"main.py\", line 12, in <module>\n    total = sum(values)\n"
    "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
    "class Stack:\n    def __init__(self):\n        self.items = []\n"
    "    def push(self, x):\n        self.items.append(x)",
    "IndexError: list index out of range",
    "import math\nprint(math.sqrt(2))",
    "def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)",
    "assert is_sorted([1, 2, 3])",
    "model <- lm(score ~ hours, data = d)\nsummary(model)",
    "SELECT name, COUNT(*) FROM items GROUP BY name;",
    "t.test(before, after, paired = TRUE)",
    "np.mean(sample), np.std(sample, ddof=1)",
    "public static void main(String[] args) {\n    System.out.println(\"hi\");\n}",
    "git commit -m 'fix tests'\ngit push origin main",
    "mat = [[0] * 3 for _ in range(3)]\nmat[1][2] = 5",
    "Segmentation fault (core dumped)",
)  # fmt: skip
FORMULAS = (
    r"$O(n \log n)$", r"$x^2 + y^2 = r^2$", r"$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$", r"$P(A \mid B)$",
    r"\( f(x) = 3x - 1 \)", r"$$\int_0^1 x^2\,dx = \frac{1}{3}$$", r"$\bar{x} \pm 1.96 \frac{s}{\sqrt{n}}$",
    r"$A^{-1}b$", r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", r"$\hat\beta = (X^TX)^{-1}X^Ty$",
    r"$2^{10}$",
    r"$H_0: \mu = 0$",
    r"$\lim_{n\to\infty} (1+1/n)^n = e$", r"$k \bmod 7$", r"$\sigma(\theta - d)$",
)  # fmt: skip
FUNCTIONS = (
    "print", "len", "range", "split", "append", "sort", "sorted", "strip", "open", "readlines", "sum",
    "input", "int", "str", "pop", "get", "items", "lower", "join", "enumerate", "zip", "read_csv",
    "mean", "median", "sqrt", "round", "is_sorted", "count_words", "parse_line", "my_max", "lm",
    "predict", "summary", "plot", "sd", "isdigit",
)  # fmt: skip
