import type { Sql } from '../../../src/platform/database/database';

/** Everything in the schema, as PostgreSQL describes it, in a form that can be compared between databases. */
const SCHEMA = `
  SELECT 'table' AS kind, c.relname::text AS name, concat_ws(' ', c.relkind, c.reloptions::text, pg_get_partkeydef(c.oid)) AS text
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'S') AND NOT c.relispartition
  UNION ALL
  SELECT 'column', c.relname || '.' || a.attname,
         concat_ws(' ', row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod),
           CASE WHEN a.attnotnull THEN 'not null' END, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 'constraint', c.relname || '.' || n.conname, pg_get_constraintdef(n.oid)
    FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
   WHERE n.connamespace = 'public'::regnamespace AND NOT c.relispartition AND n.contype <> 't'
  UNION ALL
  SELECT 'index', i.indexname, i.indexdef FROM pg_indexes i JOIN pg_class c ON c.oid = i.tablename::regclass
   WHERE i.schemaname = 'public' AND NOT c.relispartition
  UNION ALL
  SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function', proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'view', viewname, definition FROM pg_views WHERE schemaname = 'public'
   ORDER BY 1, 2`;

export const schemaOf = (sql: Pick<Sql, 'query'>): Promise<{ kind: string; name: string; text: string }[]> =>
  sql.query(SCHEMA);
