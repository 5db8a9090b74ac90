-- Window functions: ranks, neighbours, frames of rows, ranges and groups.

CREATE TABLE sale (id INTEGER NOT NULL, shop VARCHAR(10), amount INTEGER, price DECIMAL, PRIMARY KEY (id));
--> table created
PARTITION TABLE sale ON COLUMN id;
--> table partitioned
INSERT INTO sale VALUES (1, 'a', 10, 1.5), (2, 'a', 20, 2.5), (3, 'a', 20, NULL), (4, 'a', 40, 4),
    (5, 'b', 5, 1), (6, 'b', NULL, 2), (7, 'b', 7, 3), (8, NULL, 1, 9);
--> 8 modified, all partitions

-- ranks
SELECT id, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY amount, id) n, RANK() OVER (PARTITION BY shop ORDER BY amount) r,
    DENSE_RANK() OVER (PARTITION BY shop ORDER BY amount) d, NTILE(3) OVER (ORDER BY id) t FROM sale ORDER BY id;
--> id | n | r | d | t
--> 1 | 1 | 1 | 1 | 1
--> 2 | 2 | 2 | 2 | 1
--> 3 | 3 | 2 | 2 | 1
--> 4 | 4 | 4 | 3 | 2
--> 5 | 2 | 2 | 2 | 2
--> 6 | 1 | 1 | 1 | 2
--> 7 | 3 | 3 | 3 | 3
--> 8 | 1 | 1 | 1 | 3
--> (8 rows, all partitions)
SELECT id, PERCENT_RANK() OVER (ORDER BY amount) p, CUME_DIST() OVER (ORDER BY amount) c FROM sale WHERE shop = 'a' ORDER BY id;
--> id | p | c
--> 1 | 0.0 | 0.25
--> 2 | 0.3333333333333333 | 0.75
--> 3 | 0.3333333333333333 | 0.75
--> 4 | 1.0 | 1.0
--> (4 rows, all partitions)

-- neighbours
SELECT id, LAG(amount) OVER (ORDER BY id) a, LEAD(amount, 2) OVER (ORDER BY id) b, LAG(shop, 1, 'none') OVER (ORDER BY id) c,
    LAG(id, -1, 0) OVER (ORDER BY id) d FROM sale ORDER BY id;
--> id | a | b | c | d
--> 1 | NULL | 20 | 'none' | 2
--> 2 | 10 | 40 | 'a' | 3
--> 3 | 20 | 5 | 'a' | 4
--> 4 | 20 | NULL | 'a' | 5
--> 5 | 40 | 7 | 'a' | 6
--> 6 | 5 | 1 | 'b' | 7
--> 7 | NULL | NULL | 'b' | 8
--> 8 | 7 | NULL | 'b' | 0
--> (8 rows, all partitions)
SELECT id, FIRST_VALUE(id) OVER (PARTITION BY shop ORDER BY id) f, LAST_VALUE(id) OVER (PARTITION BY shop ORDER BY id) l,
    LAST_VALUE(id) OVER (PARTITION BY shop ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) e,
    NTH_VALUE(id, 2) OVER (PARTITION BY shop ORDER BY id) n FROM sale ORDER BY id;
--> id | f | l | e | n
--> 1 | 1 | 1 | 4 | NULL
--> 2 | 1 | 2 | 4 | 2
--> 3 | 1 | 3 | 4 | 2
--> 4 | 1 | 4 | 4 | 2
--> 5 | 5 | 5 | 7 | NULL
--> 6 | 5 | 6 | 7 | 6
--> 7 | 5 | 7 | 7 | 6
--> 8 | 8 | 8 | 8 | NULL
--> (8 rows, all partitions)

-- running and moving aggregates
SELECT id, SUM(amount) OVER (ORDER BY id) s, COUNT(*) OVER (PARTITION BY shop) n, AVG(price) OVER (PARTITION BY shop ORDER BY id) a
    FROM sale ORDER BY id;
--> id | s | n | a
--> 1 | 10 | 4 | 1.500000000000
--> 2 | 30 | 4 | 2.000000000000
--> 3 | 50 | 4 | 2.000000000000
--> 4 | 90 | 4 | 2.666666666666
--> 5 | 95 | 3 | 1.000000000000
--> 6 | 95 | 3 | 1.500000000000
--> 7 | 102 | 3 | 2.000000000000
--> 8 | 103 | 1 | 9.000000000000
--> (8 rows, all partitions)
SELECT id, SUM(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) s,
    MAX(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) m,
    COUNT(amount) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) c FROM sale ORDER BY id;
--> id | s | m | c
--> 1 | 30 | NULL | 7
--> 2 | 50 | 10 | 6
--> 3 | 80 | 20 | 5
--> 4 | 65 | 20 | 4
--> 5 | 45 | 40 | 3
--> 6 | 12 | 40 | 2
--> 7 | 8 | 5 | 2
--> 8 | 8 | 7 | 1
--> (8 rows, all partitions)
SELECT id, amount, COUNT(*) OVER (ORDER BY amount RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING) n,
    SUM(id) OVER (ORDER BY amount DESC RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) s FROM sale ORDER BY id;
--> id | amount | n | s
--> 1 | 10 | 3 | 6
--> 2 | 20 | 2 | 5
--> 3 | 20 | 2 | 5
--> 4 | 40 | 1 | 4
--> 5 | 5 | 4 | 13
--> 6 | NULL | 1 | 6
--> 7 | 7 | 3 | 8
--> 8 | 1 | 2 | 21
--> (8 rows, all partitions)
SELECT id, COUNT(*) OVER (ORDER BY amount GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) n,
    SUM(price) OVER (ORDER BY price RANGE BETWEEN 0.5 PRECEDING AND 0.5 FOLLOWING) s FROM sale ORDER BY id;
--> id | n | s
--> 1 | 4 | 4.500000000000
--> 2 | 4 | 7.500000000000
--> 3 | 4 | NULL
--> 4 | 3 | 4.000000000000
--> 5 | 3 | 2.500000000000
--> 6 | 2 | 6.000000000000
--> 7 | 3 | 5.500000000000
--> 8 | 3 | 9.000000000000
--> (8 rows, all partitions)

-- over groups, and in an outer query
SELECT shop, SUM(amount) s, RANK() OVER (ORDER BY SUM(amount) DESC) r FROM sale GROUP BY shop ORDER BY r;
--> shop | s | r
--> 'a' | 90 | 1
--> 'b' | 12 | 2
--> NULL | 1 | 3
--> (3 rows, all partitions)
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY id DESC) n FROM sale) x WHERE n = 1 ORDER BY id;
--> id
--> 4
--> 7
--> 8
--> (3 rows, all partitions)

-- wrong
SELECT RANK() OVER () FROM sale;
--> LINE 1: SELECT RANK() OVER () FROM sale
-->                ^^^^^^^^^^^^^^
--> error: RANK needs ORDER BY in its OVER [42000]
SELECT NTILE(0) OVER (ORDER BY id) FROM sale;
--> error: the number of NTILE must be a number that is not below 1 [22013]
SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM sale;
--> LINE 1: SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM sale
-->                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: the frame ends before it starts [42000]
SELECT SUM(amount) OVER (ORDER BY shop RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sale;
--> LINE 1: SELECT SUM(amount) OVER (ORDER BY shop RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sale
-->                                                              ^
--> error: a RANGE with an offset needs ORDER BY of a number, not VARCHAR [42000]
SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN id PRECEDING AND CURRENT ROW) FROM sale;
--> LINE 1: SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN id PRECEDING AND CURRENT ROW) FROM sale
-->                                                           ^^
--> error: the offset of a frame is a number or a ?, the same for all rows [42000]
SELECT LAG(id, 1, 'x', 2) OVER (ORDER BY id) FROM sale;
--> LINE 1: SELECT LAG(id, 1, 'x', 2) OVER (ORDER BY id) FROM sale
-->                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: LAG takes 1 to 3 arguments [42000]
SELECT ROW_NUMBER() OVER (ORDER BY id ROWS 1 PRECEDING) FROM sale;
--> LINE 1: SELECT ROW_NUMBER() OVER (ORDER BY id ROWS 1 PRECEDING) FROM sale
-->                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: ROW_NUMBER looks at the whole partition: leave the frame out [42000]
SELECT id FROM sale WHERE RANK() OVER (ORDER BY id) = 1;
--> LINE 1: SELECT id FROM sale WHERE RANK() OVER (ORDER BY id) = 1
-->                                   ^^^^^^^^^^^^^^^^^^^^^^^^^
--> error: window function RANK can't stand in WHERE; use a FROM subquery [42000]
