/** A complete file on the page, or commands with their output. */
export type Step =
  | { readonly kind: 'file'; readonly heading: string; readonly path: string; readonly text: string }
  | {
      readonly kind: 'commands';
      readonly heading: string;
      readonly lines: string;
      /** The output below them. A line `…` is any number of lines. `null` if the page shows none. */
      readonly shown: string | null;
      /** The last command is a server, which runs while the next commands are executed. */
      readonly serves: boolean;
    };

const BLOCK = /^## (.+)$|^(?:\*\*`([^`]+)`\*\*\n\n)?```(\w+)\n([\s\S]*?)^```$/gm;
const SERVER = /(npx uptime-monitor|node dist\/main\.js)\n$/;

/** Returns the steps of a reader of the page, in order. Throws for a block that a reader could not place. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let heading = '';
  for (const [block, title, path, language = '', text = ''] of markdown.matchAll(BLOCK)) {
    heading = title ?? heading;
    const last = steps.at(-1);
    if (path !== undefined) steps.push({ kind: 'file', heading, path, text });
    else if (language === 'sh')
      steps.push({ kind: 'commands', heading, lines: text, shown: null, serves: SERVER.test(text) });
    else if (language === 'text' && last?.kind === 'commands' && last.shown === null)
      steps[steps.length - 1] = { ...last, shown: text };
    else if (title === undefined) throw new Error(`The page does not say where this belongs:\n${block}`);
  }
  return steps;
}

/** Replaces the parts that differ between runs. */
const settled = (text: string): string =>
  text.replace(/\b([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_…').replace(/^(PASS .+) \([\d.]+ s\)$/gm, '$1');

const escaped = (line: string): string => line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Returns whether commands printed the text on the page, except for IDs and the end of the last line. */
export function prints(output: string, shown: string): boolean {
  const lines = shown.trimEnd().split('\n');
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escaped(settled(line))}\\n`)).join('');
  return new RegExp(`^${pattern}$`).test(`${settled(output).trimEnd()}\n`);
}
