# 01_cpu_baseline --input constant --n 10 --no-heading
set print frame-arguments none
tbreak count_in_turn
run
next 3
print tables[0][7]
print tables[3][7]
until 37
print i
print tables[0][7]
next
print tables[0][7]
print tables[3][7]
