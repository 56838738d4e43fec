/** What the API calls each property of a row: all that is said of a plain field between both. */
export type FieldNames = Readonly<Record<string, string>>;

/** These properties of a row as the fields of the API, in the order of `names`. */
export const toFields = <Row extends { [Property in keyof Names]?: unknown }, Names extends FieldNames>(
  row: Row,
  names: Names,
) => {
  const fields: Record<string, unknown> = {};
  // Lists have thousands of rows: this takes a third of what `Object.fromEntries` does.
  for (const property of Object.keys(names) as (keyof Names)[]) fields[names[property] as string] = row[property];
  return fields as { [Property in keyof Names & keyof Row as Names[Property]]: Row[Property] };
};

/** The fields that were sent as the properties of a row; what is undefined is missing. */
export const toProperties = <Sent extends { [Field in Names[keyof Names]]?: unknown }, Names extends FieldNames>(
  sent: Sent,
  names: Names,
) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([property, field]) => {
      const value = sent[field as keyof Sent];
      return value === undefined ? [] : [[property, value]];
    }),
  ) as { [Property in keyof Names]?: Exclude<Sent[Names[Property] & keyof Sent], undefined> };
