"""Tables 2 and 4 of Vie, Rigaux and Minn: python examples/papers/vie.py assistments2009/assistments09_full.csv.gz"""

import sys

import pyarrow.csv as csv

from sharewell.papers import vie

log = csv.read_csv(sys.argv[1])
columns = ("user_id", "skill_id", "correct")
print(vie.table_2(log, columns, data="ASSISTments 2009, here"))
print(vie.table_4(log, columns, data="ASSISTments 2009"))
print(vie.table_4(log, columns, data="ASSISTments 2009", models=["drop 0", "markov"], norm="printed"))
