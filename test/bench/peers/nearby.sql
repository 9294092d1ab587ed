SELECT COLUMNS, ST_Distance(i.location, ST_SetSRID(ST_MakePoint($2, $1), 4326)::geography) AS distance,
       (SELECT count(*) FROM items WHERE ST_DWithin(location, ST_SetSRID(ST_MakePoint($2, $1), 4326)::geography, $3)) AS total
  FROM items i WHERE ST_DWithin(i.location, ST_SetSRID(ST_MakePoint($2, $1), 4326)::geography, $3)
 ORDER BY distance, i.id LIMIT 20
