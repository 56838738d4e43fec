// Compares two reports for one export path and describes the differences.

const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function|enum|namespace) (\w+)/;

/**
 * Maps each name to the text of its declarations, exported or not. An interface and a constant with the same name are
 * merged.
 */
export function declarationsOf(report) {
  const [, code = ''] = /^```ts\n(.*)^```$/ms.exec(report) ?? [];
  const found = new Map();
  let current = null;
  for (const line of code.split('\n')) {
    current = DECLARATION.exec(line)?.[1] ?? (/^\S/.test(line) && !/^[})\]|]/.test(line) ? null : current);
    if (current === null) continue;
    const { text = '', isExported = false } = found.get(current) ?? {};
    found.set(current, { text: `${text}${line}\n`, isExported: isExported || line.startsWith('export ') });
  }
  return found;
}

const list = (names) => names.toSorted((a, b) => (a < b ? -1 : 1)).join(', ');

/**
 * Returns the changes that other packages would notice, one per line, or none if the reports are the same. `committed`
 * and `current` are report texts. For a path that isn't exported, the text is empty.
 */
export function differences(path, committed, current) {
  if (committed === current) return [];
  if (current === '') return [`${path} is not exported any more.`];
  if (committed === '') return [`${path} is exported and was not before.`];
  const [before, after] = [committed, current].map(declarationsOf);
  const exportedIn = (all) => [...all].filter(([, { isExported }]) => isExported).map(([name]) => name);
  const removed = exportedIn(before).filter((name) => !after.get(name)?.isExported);
  const added = exportedIn(after).filter((name) => !before.get(name)?.isExported);
  const isChanged = (name) => before.has(name) && after.has(name) && before.get(name).text !== after.get(name).text;
  const changed = exportedIn(after).filter((name) => !added.includes(name) && isChanged(name));
  const mentioned = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) =>
      !before.get(name)?.isExported && !after.get(name)?.isExported && before.get(name)?.text !== after.get(name)?.text,
  );
  const lines = [
    removed.length > 0 && `${path} does not export ${list(removed)} any more.`,
    changed.length > 0 && `${path} has other signatures: ${list(changed)}.`,
    mentioned.length > 0 && `${path} mentions types that are not as they were: ${list(mentioned)}.`,
    added.length > 0 && `${path} exports in addition: ${list(added)}.`,
  ].filter(Boolean);
  return lines.length > 0 ? lines : [`${path} imports other types of other packages.`];
}

/** Returns the changes in the paths and commands in package.json, based on the rows in the overview. */
export function rowDifferences(committed, current) {
  const [before, after] = [committed, current].map((text) =>
    [...text.matchAll(/^\| (.+) \|$/gm)]
      .map(([, row]) => row.replace(/ +/g, ' '))
      .filter((row) => !row.startsWith('-')),
  );
  return [
    ...before.filter((row) => !after.includes(row)).map((row) => `package.json does not say any more: ${row}`),
    ...after.filter((row) => !before.includes(row)).map((row) => `package.json says: ${row}`),
  ];
}
