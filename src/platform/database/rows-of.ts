type Value = string | number | bigint | boolean | Date | null | undefined;

/** A column's type, and its value for an item. */
type Column<Item> = readonly [type: string, value: (item: Item) => Value];

export type Columns<Item> = Readonly<Record<string, Column<Item>>>;

/** Many rows as the parameters of one statement, one array for each column. */
export interface RowSource<Item> {
  readonly columns: Columns<Item>;
  /** The names of the columns, separated by commas. */
  readonly names: string;
  /** Returns the source for a FROM clause, such as `unnest($1::uuid[], $2::int[]) AS r (id, failures)`. */
  as(alias: string): string;
  /** Returns the parameters for these items. */
  of(items: readonly Item[]): (string | Value[])[];
}

/** Types whose values may need quotes in an array. All others are sent in PostgreSQL's text format, which is faster. */
const QUOTED = new Set(['text', 'jsonb']);

/**
 * Describes rows that a statement receives, with the name, the type, and the value of each column next to each other.
 * `first` is the number of the first parameter. Call this once per statement, when the module is loaded.
 */
export function rowsOf<Item>(columns: Columns<Item>, first = 1): RowSource<Item> {
  const names = Object.keys(columns).join(', ');
  const all = Object.values(columns);
  const parameters = all.map(([type], index) => `$${first + index}::${type}[]`).join(', ');
  return {
    columns,
    names,
    as: (alias) => `unnest(${parameters}) AS ${alias} (${names})`,
    of: (items) =>
      all.map(([type, value]) => (QUOTED.has(type) ? items.map((item) => value(item) ?? null) : listOf(items, value))),
  };
}

function listOf<Item>(items: readonly Item[], valueOf: (item: Item) => Value): string {
  const texts = items.map((item) => {
    const value = valueOf(item) ?? 'NULL';
    return value instanceof Date ? value.toISOString() : String(value);
  });
  return `{${texts.join(',')}}`;
}
