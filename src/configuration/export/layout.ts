import type * as Yaml from 'yaml';
import { isRecord } from '../../platform/text/json';
import type { ConfigurationDocument } from '../document/document';

export type Section = 'contacts' | 'probes' | 'websites' | 'maintenance_windows' | 'status_pages';

/**
 * Formats a document piece by piece. Each resource is converted to text separately, so that other work can run in
 * between and the document isn't in memory twice.
 */
export interface Layout {
  /** Formats the head. `notes` are for human readers, and JSON leaves them out. */
  head(head: Pick<ConfigurationDocument, 'version' | 'owner'>, notes: readonly string[]): string;
  /** Starts a section, before its first item. */
  section(name: Section): string;
  /** Formats an item. `place` is its index in the section. */
  item(resource: object, place: number): string;
  /** Formats an endpoint for the website that was the last item. */
  endpoint(resource: object, place: number): string;
  /** Ends an item and its endpoints. */
  itemEnd(endpoints: number): string;
  sectionEnd(): string;
  end(): string;
}

/** Loads the package on first use. */
const yaml = (): typeof Yaml => require('yaml') as typeof Yaml;

const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false };

/** Formats one list item with this indentation. */
const listItem = (resource: object, indent: string): string =>
  yaml()
    .stringify([inLine(resource)], OPTIONS)
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join('\n');

/** Puts each `{ $secret: NAME }` on one line. */
function inLine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLine);
  if (!isRecord(value)) return value;
  const { $secret: name } = value;
  if (typeof name !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inLine(item)]));
  const { YAMLMap, Pair } = yaml();
  const reference = new YAMLMap();
  reference.flow = true;
  reference.items.push(new Pair('$secret', name));
  return reference;
}

/** YAML 1.2 with one line for each setting. */
export class YamlLayout implements Layout {
  head(head: Pick<ConfigurationDocument, 'version' | 'owner'>, notes: readonly string[]): string {
    return `${notes.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('')}${yaml().stringify(head, OPTIONS)}`;
  }

  section(name: Section): string {
    return `\n${name}:\n`;
  }

  item(resource: object): string {
    return listItem(resource, '  ');
  }

  endpoint(resource: object, place: number): string {
    return `${place === 0 ? '    endpoints:\n' : ''}${listItem(resource, '      ')}`;
  }

  itemEnd(): string {
    return '';
  }

  sectionEnd(): string {
    return '';
  }

  end(): string {
    return '';
  }
}

/** JSON with one line for each resource. */
export class JsonLayout implements Layout {
  head(head: Pick<ConfigurationDocument, 'version' | 'owner'>): string {
    return JSON.stringify(head).slice(0, -1);
  }

  section(name: Section): string {
    return `,\n"${name}":[`;
  }

  item(resource: object, place: number): string {
    return `${place === 0 ? '' : ','}\n${JSON.stringify(resource).slice(0, -1)}`;
  }

  endpoint(resource: object, place: number): string {
    return `${place === 0 ? ',"endpoints":[' : ','}\n${JSON.stringify(resource)}`;
  }

  itemEnd(endpoints: number): string {
    return endpoints === 0 ? '}' : ']}';
  }

  sectionEnd(): string {
    return ']';
  }

  end(): string {
    return '}\n';
  }
}
