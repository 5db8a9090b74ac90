-- INSERT .. ON CONFLICT, DEFAULT as a value, and rows that move to another partition.

CREATE TABLE stock (item INTEGER NOT NULL, place VARCHAR(10) DEFAULT 'shelf' NOT NULL, n INTEGER DEFAULT 1, note VARCHAR(40),
    PRIMARY KEY (item), UNIQUE (item, place));
--> table created
PARTITION TABLE stock ON COLUMN item;
--> table partitioned
CREATE TABLE small (id INTEGER NOT NULL PRIMARY KEY, code VARCHAR(5) NOT NULL UNIQUE, n INTEGER);
--> table created
CREATE VIEW v_places (place, items, total) AS SELECT place, COUNT(*), SUM(n) FROM stock GROUP BY place;
--> view created

-- defaults
INSERT INTO stock (item, place, n) VALUES (1, DEFAULT, 5), (2, 'cellar', DEFAULT), (3, DEFAULT, DEFAULT);
--> 3 modified, all partitions
UPDATE stock SET note = 'x', place = DEFAULT WHERE item = 2;
--> 1 modified, partition p1 (hash of item)
SELECT * FROM stock ORDER BY item;
--> item | place | n | note
--> 1 | 'shelf' | 5 | NULL
--> 2 | 'shelf' | 1 | 'x'
--> 3 | 'shelf' | 1 | NULL
--> (3 rows, all partitions)
INSERT INTO stock (item) VALUES (DEFAULT);
--> LINE 1: INSERT INTO stock (item) VALUES (DEFAULT)
-->                                          ^^^^^^^
--> error: column item of stock is NOT NULL and has no default: give it a value [23000]

-- nothing, or an update of what is there
INSERT INTO stock (item, n) VALUES (1, 100), (4, 4) ON CONFLICT DO NOTHING;
--> 1 modified, all partitions
INSERT INTO stock (item, n) VALUES (1, 100), (5, 5) ON CONFLICT (item) DO UPDATE SET n = n + EXCLUDED.n, note = 'more';
--> 2 modified, all partitions
INSERT INTO stock (item, n) VALUES (1, 1), (2, 1) ON CONFLICT (item) DO UPDATE SET n = EXCLUDED.n WHERE stock.n > 50;
--> 1 modified, all partitions
INSERT INTO stock (item, place) SELECT item, 'attic' FROM stock ON CONFLICT (place, item) DO NOTHING RETURNING item;
--> error: duplicate key in stock: pk_stock already has item = 1 [23000]
INSERT INTO stock (item, n) VALUES (6, 6), (6, 7) ON CONFLICT (item) DO UPDATE SET n = EXCLUDED.n RETURNING item, n;
--> item | n
--> 6 | 7
--> 6 | 7
--> (2 rows, all partitions)
SELECT * FROM stock ORDER BY item;
--> item | place | n | note
--> 1 | 'shelf' | 1 | 'more'
--> 2 | 'shelf' | 1 | 'x'
--> 3 | 'shelf' | 1 | NULL
--> 4 | 'shelf' | 4 | NULL
--> 5 | 'shelf' | 5 | NULL
--> 6 | 'shelf' | 7 | NULL
--> (6 rows, all partitions)
SELECT * FROM v_places ORDER BY place;
--> place | items | total
--> 'shelf' | 6 | 19
--> (1 rows, all partitions)
INSERT INTO small VALUES (1, 'a', 1), (2, 'b', 2);
--> 2 modified, all partitions
INSERT INTO small VALUES (3, 'a', 3) ON CONFLICT (code) DO UPDATE SET n = small.n * 10;
--> 1 modified, all partitions
INSERT INTO small VALUES (2, 'z', 3) ON CONFLICT (code) DO NOTHING;
--> error: duplicate key in small: pk_small already has id = 2 [23000]
SELECT * FROM small ORDER BY id;
--> id | code | n
--> 1 | 'a' | 10
--> 2 | 'b' | 2
--> (2 rows, partition p0)

-- wrong
INSERT INTO stock (item) VALUES (1) ON CONFLICT (n) DO NOTHING;
--> LINE 1: INSERT INTO stock (item) VALUES (1) ON CONFLICT (n) DO NOTHING
-->                                             ^^^^^^^^^^^^^^
--> error: ON CONFLICT needs a unique key, and stock has no key of just these columns [42000]
INSERT INTO stock (item) VALUES (1) ON CONFLICT DO UPDATE SET n = 1;
--> LINE 1: INSERT INTO stock (item) VALUES (1) ON CONFLICT DO UPDATE SET n = 1
-->                                             ^^^^^^^^^^^
--> error: DO UPDATE needs to know which key: write ON CONFLICT (columns of a unique key) [42000]
INSERT INTO stock (item) VALUES (1) ON CONFLICT (item) DO UPDATE SET item = 7;
--> LINE 1: INSERT INTO stock (item) VALUES (1) ON CONFLICT (item) DO UPDATE SET item = 7
-->                                                                              ^^^^
--> error: ON CONFLICT can't move a row to another partition: leave item as it is [42000]
INSERT INTO stock (item) VALUES (1) ON CONFLICT (item) DO UPDATE SET nn = 7;
--> LINE 1: INSERT INTO stock (item) VALUES (1) ON CONFLICT (item) DO UPDATE SET nn = 7
-->                                                                              ^^
--> error: no column nn in stock; did you mean n? [42000]
UPSERT INTO stock (item) VALUES (1) ON CONFLICT DO NOTHING;
--> LINE 1: UPSERT INTO stock (item) VALUES (1) ON CONFLICT DO NOTHING
-->                                             ^^^^^^^^^^^
--> error: UPSERT says itself what a conflict does: write INSERT [42601]

-- an UPDATE of the partition column moves rows
UPDATE stock SET item = item + 100 WHERE item <= 3;
--> 3 modified, all partitions
UPDATE stock SET item = 4 WHERE item = 4;
--> 1 modified, all partitions
UPDATE stock SET item = 5 WHERE item = 4;
--> error: duplicate key in stock: pk_stock already has item = 5 [23000]
SELECT item, n FROM stock ORDER BY item;
--> item | n
--> 4 | 4
--> 5 | 5
--> 6 | 7
--> 101 | 1
--> 102 | 1
--> 103 | 1
--> (6 rows, all partitions)
SELECT * FROM v_places ORDER BY place;
--> place | items | total
--> 'shelf' | 6 | 19
--> (1 rows, all partitions)
