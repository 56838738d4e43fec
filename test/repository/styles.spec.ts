import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText, ROOT } from './project-files';

const TOKENS = 'web/src/styles/tokens.css';
const COLOR =
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|(?:color|background|fill|stroke):\s*(?:white|black|gr[ae]y|red|green|blue)\b/i;
const TEXT_SIZE = /\bfont(?:-size)?:[^;]*\d(?:px|r?em|%)|\bfontSize\b/;
const ATTRIBUTE = /\b(?:style|fill|stroke)=(?:"([^"]*)"|\{\{(.*?)\}\})/g;

const filesOf = (extension: string): string[] =>
  readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => `web/${file.replaceAll('\\', '/')}`);

/** Returns the lines of a text that use a literal color or font size instead of a token. */
const literalsOf = (text: string): string[] =>
  text.split('\n').filter((line) => COLOR.test(line) || TEXT_SIZE.test(line));

describe('the styles', () => {
  it('take every color and size of text from the tokens', () => {
    const sheets = filesOf('.css').filter((file) => file !== TOKENS);
    const found = sheets.flatMap((file) => literalsOf(readText(file)).map((line) => `${file}: ${line.trim()}`));
    expect(found).toEqual([]);
    expect(sheets.length).toBeGreaterThan(4);
  });

  it('have no color and size of text inside of the markup', () => {
    const found = filesOf('.tsx').flatMap((file) =>
      [...readText(file).matchAll(ATTRIBUTE)]
        .filter(([, text = '', object = '']) => literalsOf(`color: ${text}\n${object}`).length > 0)
        .map(([attribute]) => `${file}: ${attribute}`),
    );
    expect(found).toEqual([]);
  });

  it('use no name that is never set', () => {
    const texts = [...filesOf('.css'), ...filesOf('.tsx')].map(readText);
    const set = new Set(texts.flatMap((text) => text.match(/--[\w-]+(?='?:)/g) ?? []));
    const named = texts.flatMap((text) => [...text.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !set.has(name))).toEqual([]);
  });

  it('are searched for literals by a rule that finds one', () => {
    const sheet =
      '  color: #fff;\n  font-size: 12px;\n  background: white;\n  color: var(--ink);\n  border: 1px solid;';
    expect(literalsOf(sheet)).toHaveLength(3);
  });
});
