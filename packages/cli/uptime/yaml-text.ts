import { Document, isScalar, visit, type YAMLMap, type YAMLSeq } from 'yaml';

/** Longer values are easier to read when split across lines. */
const MAX_FLOW_CHARACTERS = 100;

/** Returns a value as YAML. Secret references, assertions, and tag lists are written on one line. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Map: (position, map) => {
      // The parts of a document or resource are written on separate lines.
      if (
        position !== null &&
        isSmall(
          map,
          map.items.map(({ value }) => value),
        )
      )
        map.flow = true;
    },
    Seq: (_, list) => {
      if (isSmall(list, list.items)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const isSmall = (collection: YAMLMap | YAMLSeq, values: readonly unknown[]): boolean =>
  values.every((value) => isScalar(value)) && JSON.stringify(collection.toJSON()).length <= MAX_FLOW_CHARACTERS;
