CREATE TABLE c (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(10), city VARCHAR(10));
--> table created
CREATE TABLE o (id INTEGER NOT NULL, customer INTEGER NOT NULL, total INTEGER, PRIMARY KEY (customer, id));
--> table created
PARTITION TABLE o ON COLUMN customer;
--> table partitioned
CREATE TABLE l (customer INTEGER NOT NULL, o INTEGER NOT NULL, item VARCHAR(10) NOT NULL);
--> table created
PARTITION TABLE l ON COLUMN customer;
--> table partitioned
INSERT INTO c VALUES (1, 'Ann', 'Bonn'), (2, 'Bob', 'Rome'), (3, 'Cid', NULL), (4, 'Dee', 'Rome');
--> 4 modified, all partitions
INSERT INTO o VALUES (10, 1, 100), (11, 1, 50), (12, 2, 70), (13, 9, 20), (14, 3, NULL);
--> 5 modified, all partitions
INSERT INTO l VALUES (1, 10, 'pen'), (1, 10, 'ink'), (2, 12, 'pen'), (9, 13, 'cup');
--> 4 modified, all partitions
SELECT c.name, o.id FROM c JOIN o ON o.customer = c.id ORDER BY o.id;
--> name | id
--> 'Ann' | 10
--> 'Ann' | 11
--> 'Bob' | 12
--> 'Cid' | 14
--> (4 rows, all partitions)
SELECT c.name, o.id FROM c, o WHERE o.customer = c.id AND total > 60 ORDER BY o.id;
--> name | id
--> 'Ann' | 10
--> 'Bob' | 12
--> (2 rows, all partitions)
SELECT c.name, o.id FROM c LEFT JOIN o ON o.customer = c.id ORDER BY c.id, o.id;
--> name | id
--> 'Ann' | 10
--> 'Ann' | 11
--> 'Bob' | 12
--> 'Cid' | 14
--> 'Dee' | NULL
--> (5 rows, all partitions)
SELECT c.name, o.id FROM c LEFT JOIN o ON o.customer = c.id AND o.total > 60 ORDER BY c.id, o.id;
--> name | id
--> 'Ann' | 10
--> 'Bob' | 12
--> 'Cid' | NULL
--> 'Dee' | NULL
--> (4 rows, all partitions)
SELECT c.name, o.id FROM c LEFT JOIN o ON o.customer = c.id WHERE o.total > 60 ORDER BY c.id, o.id;
--> name | id
--> 'Ann' | 10
--> 'Bob' | 12
--> (2 rows, all partitions)
SELECT c.name FROM c LEFT JOIN o ON o.customer = c.id WHERE o.id IS NULL ORDER BY c.id;
--> name
--> 'Dee'
--> (1 rows, all partitions)
SELECT c.name, o.id FROM c RIGHT JOIN o ON o.customer = c.id ORDER BY o.id;
--> name | id
--> 'Ann' | 10
--> 'Ann' | 11
--> 'Bob' | 12
--> NULL | 13
--> 'Cid' | 14
--> (5 rows, all partitions)
SELECT c.name, o.id FROM c FULL JOIN o ON o.customer = c.id ORDER BY c.id, o.id;
--> name | id
--> NULL | 13
--> 'Ann' | 10
--> 'Ann' | 11
--> 'Bob' | 12
--> 'Cid' | 14
--> 'Dee' | NULL
--> (6 rows, all partitions)
SELECT o.id, l.item FROM o JOIN l ON l.customer = o.customer AND l.o = o.id ORDER BY o.id, l.item;
--> id | item
--> 10 | 'ink'
--> 10 | 'pen'
--> 12 | 'pen'
--> 13 | 'cup'
--> (4 rows, all partitions)
SELECT o.id, l.item FROM o LEFT JOIN l ON l.customer = o.customer AND l.o = o.id ORDER BY o.id, l.item;
--> id | item
--> 10 | 'ink'
--> 10 | 'pen'
--> 11 | NULL
--> 12 | 'pen'
--> 13 | 'cup'
--> 14 | NULL
--> (6 rows, all partitions)
SELECT o.id, l.item FROM o JOIN l ON l.customer = o.customer AND l.o = o.id WHERE o.customer = 1 ORDER BY o.id, l.item;
--> id | item
--> 10 | 'ink'
--> 10 | 'pen'
--> (2 rows, partition p0 (hash of customer))
SELECT c.name, SUM(o.total), COUNT(*), COUNT(o.id) FROM c LEFT JOIN o ON o.customer = c.id GROUP BY c.name ORDER BY c.name;
--> name | C2 | C3 | C4
--> 'Ann' | 150 | 2 | 2
--> 'Bob' | 70 | 1 | 1
--> 'Cid' | NULL | 1 | 1
--> 'Dee' | NULL | 1 | 0
--> (4 rows, all partitions)
SELECT a.name, b.name FROM c AS a JOIN c AS b ON a.city = b.city AND a.id < b.id;
--> name | name
--> 'Bob' | 'Dee'
--> (1 rows, partition p0)
SELECT a.name, b.name FROM c AS a CROSS JOIN c AS b WHERE a.id = 1 ORDER BY b.id;
--> name | name
--> 'Ann' | 'Ann'
--> 'Ann' | 'Bob'
--> 'Ann' | 'Cid'
--> 'Ann' | 'Dee'
--> (4 rows, partition p0)
SELECT customer, o.id, l.item FROM o JOIN l USING (customer) ORDER BY customer, o.id, l.item;
--> customer | id | item
--> 1 | 10 | 'ink'
--> 1 | 10 | 'pen'
--> 1 | 11 | 'ink'
--> 1 | 11 | 'pen'
--> 2 | 12 | 'pen'
--> 9 | 13 | 'cup'
--> (6 rows, all partitions)
SELECT * FROM o JOIN l USING (customer) WHERE customer = 2;
--> customer | id | total | o | item
--> 2 | 12 | 70 | 12 | 'pen'
--> (1 rows, partition p1 (hash of customer))
SELECT COUNT(*) FROM c, c AS d;
--> C1
--> 16
--> (1 rows, partition p0)
SELECT c.name, o.id, l.item FROM c JOIN o ON o.customer = c.id JOIN l ON l.customer = o.customer AND l.o = o.id ORDER BY o.id, l.item;
--> name | id | item
--> 'Ann' | 10 | 'ink'
--> 'Ann' | 10 | 'pen'
--> 'Bob' | 12 | 'pen'
--> (3 rows, all partitions)
SELECT c.name, o.id, l.item FROM c LEFT JOIN o ON o.customer = c.id LEFT JOIN l ON l.customer = o.customer AND l.o = o.id ORDER BY c.id, o.id, l.item;
--> name | id | item
--> 'Ann' | 10 | 'ink'
--> 'Ann' | 10 | 'pen'
--> 'Ann' | 11 | NULL
--> 'Bob' | 12 | 'pen'
--> 'Cid' | 14 | NULL
--> 'Dee' | NULL | NULL
--> (6 rows, all partitions)
SELECT x.n, c.name FROM (SELECT customer, COUNT(*) AS n FROM o GROUP BY customer) AS x JOIN c ON c.id = x.customer ORDER BY c.name;
--> n | name
--> 2 | 'Ann'
--> 1 | 'Bob'
--> 1 | 'Cid'
--> (3 rows, all partitions)
-- Joins across partitions.
SELECT COUNT(*) FROM o JOIN l ON o.id = l.o;
--> C1
--> 4
--> (1 rows, all partitions)
SELECT COUNT(*) FROM o, l;
--> C1
--> 20
--> (1 rows, all partitions)
-- Wrong ones.
SELECT id FROM c JOIN o ON o.customer = c.id;
--> LINE 1: SELECT id FROM c JOIN o ON o.customer = c.id
-->                ^^
--> error: column id is ambiguous: it is in c and o; write c.id or o.id [42000]
SELECT * FROM c JOIN c ON 1 = 1;
--> LINE 1: SELECT * FROM c JOIN c ON 1 = 1
-->                              ^
--> error: c stands twice in FROM: give one of them an alias [42000]
SELECT * FROM c JOIN o ON o.nothing = c.id;
--> LINE 1: SELECT * FROM c JOIN o ON o.nothing = c.id
-->                                     ^^^^^^^
--> error: no column nothing in o [42000]
SELECT * FROM c JOIN o USING (customer);
--> LINE 1: SELECT * FROM c JOIN o USING (customer)
-->                                       ^^^^^^^^
--> error: no column customer of USING in c [42000]
SELECT * FROM c JOIN o;
--> LINE 1: SELECT * FROM c JOIN o
-->                              ^
--> error: this JOIN needs ON or USING; every pair of rows is CROSS JOIN [42601]
-- NULL never joins.
SELECT a.id, b.id FROM c AS a JOIN c AS b ON a.city = b.city WHERE a.id = 3;
--> id | id
--> (0 rows, partition p0)
SELECT a.id, b.id FROM c AS a LEFT JOIN c AS b ON a.city = b.city AND a.id <> b.id ORDER BY a.id;
--> id | id
--> 1 | NULL
--> 2 | 4
--> 3 | NULL
--> 4 | 2
--> (4 rows, partition p0)
