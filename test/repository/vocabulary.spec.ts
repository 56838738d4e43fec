import { readText, askScript } from './project-files';

interface Hit {
  file: string;
  line: number;
  found: string;
  instead: string;
}

describe('the vocabulary', () => {
  it('keeps the retired words out of source, tests, logs and documents', () => {
    const hits = askScript('retired-words.mjs', `it.retiredWords(${JSON.stringify(process.cwd())})`) as Hit[];
    expect(hits.map(({ file, line, found, instead }) => `${file}:${line} says "${found}" for ${instead}`)).toEqual([]);
  });

  it('finds a retired word where there is one', () => {
    const [entry] = JSON.parse(readText('test/repository/retired-words.json')) as { pattern: string; flags?: string }[];
    expect(['a Check', 'Report'].join('')).toMatch(new RegExp(entry?.pattern ?? '^', entry?.flags));
  });
});
