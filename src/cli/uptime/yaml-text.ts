import { Document, isMap, isScalar, visit, type YAMLMap } from 'yaml';

/** Longer ones are easier to read line by line. */
const MAX_FLOW_CHARACTERS = 100;

/** A value as YAML for people: `{$secret: NAME}`, a header or an assertion stands on one line. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Map: (position, map) => {
      // What a whole document or a resource consists of stays on lines of its own.
      if (position !== null && isSmall(map)) map.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function isSmall(map: YAMLMap): boolean {
  const values = map.items.map(({ value }) => value);
  if (!values.every((value) => isScalar(value))) return false;
  return JSON.stringify(map.toJSON()).length <= MAX_FLOW_CHARACTERS;
}
