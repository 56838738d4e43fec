import { MAX_RESOURCES } from '../document/document';

/** How many resources a note names before it says "and N more". */
const NAMED = 20;
const NAMED_SECRETS = 200;

/** Collects notes, each with the resources that it is about. */
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
  /** Name of the organization. */
  organization: string;
  owner: string | undefined;
  at: Date;
  resources: number;
  secrets: readonly string[];
  notes: readonly string[];
}

/** Returns the comment lines above the document. */
export function headLines({ organization, owner, at, resources, secrets, notes }: Exported): string[] {
  const whose = owner === undefined ? 'has' : `has of what ${owner} declares`;
  const about = `What ${oneLine(organization)} ${whose}, exported at ${at.toISOString()}.`;
  const shown = secrets.slice(0, NAMED_SECRETS);
  return [
    about,
    'See what it would change with "uptime plan FILE", and apply it with "uptime apply FILE".',
    ...section(
      secrets.length === 0
        ? []
        : [
            'Secrets are not exported. Where a value is stored it stays; where none is, give one in the section',
            '"secrets" of the document or in the environment as UPTIME_SECRET_<NAME>. Their names:',
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
  `It declares ${resources} resources, and at most ${MAX_RESOURCES} can be planned or applied at once: split it by websites into several documents, each with an owner of its own, and export those by ?owner= from then on.`;

const listed = (named: readonly string[], more: number): string =>
  named.join(', ') + (more > 0 ? ` and ${more} more` : '');

/** Keeps a comment on one line. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029\u0085]+/gu, ' ');
