import { MAX_RESOURCES } from '../document/document';

/** How many resources a note names before it ends with "and N more". */
const NAMED = 20;
const NAMED_SECRETS = 200;

/** Collects notes, each with the resources that it applies to. */
export class ExportNotes {
  private readonly about = new Map<string, { named: string[]; more: number }>();

  add(message: string, name: string): void {
    const known = this.about.get(message) ?? { named: [], more: 0 };
    this.about.set(message, known);
    if (known.named.length < NAMED) known.named.push(name);
    else known.more++;
  }

  /** Lines such as `Left out, because …: shop/front, shop/back and 3 more`. */
  get lines(): string[] {
    return [...this.about].map(([message, { named, more }]) => `${message}: ${listed(named, more)}`);
  }
}

export interface Exported {
  /** The organization's name. */
  organization: string;
  owner: string | undefined;
  at: Date;
  resources: number;
  secrets: readonly string[];
  notes: readonly string[];
}

/** Returns the comment lines at the top of the document. */
export function headLines({ organization, owner, at, resources, secrets, notes }: Exported): string[] {
  const whose = owner === undefined ? '' : ` (only the resources of ${owner})`;
  const about = `Configuration of ${oneLine(organization)}${whose}, exported at ${at.toISOString()}.`;
  const shown = secrets.slice(0, NAMED_SECRETS);
  return [
    about,
    'See what it would change with "uptime plan FILE", and apply it with "uptime apply FILE".',
    ...section(
      secrets.length === 0
        ? []
        : [
            'Secrets are not exported. Stored values are kept. For values that are not stored yet, set them under',
            '"secrets" in the document or in the environment as UPTIME_SECRET_<NAME>. The names are:',
            ...shown.map((name) => `  ${name}`),
            ...(secrets.length > shown.length ? [`  and ${secrets.length - shown.length} more`] : []),
          ],
    ),
    ...section(notes.map(oneLine)),
    ...section(resources <= MAX_RESOURCES ? [] : [tooMany(resources)]),
    '',
  ];
}

const section = (lines: string[]): string[] => (lines.length === 0 ? [] : ['', ...lines]);

const tooMany = (resources: number): string =>
  `The document declares ${resources} resources, but at most ${MAX_RESOURCES} can be planned or applied at a time. Split it by website into several documents, each with its own owner, and use ?owner= for later exports.`;

const listed = (named: readonly string[], more: number): string =>
  named.join(', ') + (more > 0 ? ` and ${more} more` : '');

/** Keeps a comment on one line. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029\u0085]+/gu, ' ');
