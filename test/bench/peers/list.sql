SELECT COLUMNS, (SELECT n FROM item_counts c WHERE c.dataset_id = d.id AND c.list = 'all') AS total
  FROM datasets d
  JOIN LATERAL (SELECT * FROM items WHERE dataset_id = d.id ORDER BY name, id LIMIT 20) AS i ON true
 WHERE d.slug = $1
