import type { Incident, MaintenanceScope, OverviewItem, Website } from '../api/types';
import { duration } from './format';
import { checkable } from './heartbeat';
import { titleOf } from './incident';

export type Act =
  | { does: 'open'; path: string }
  /** Fills in this text, so that the user can continue typing. */
  | { does: 'type'; text: string }
  | { does: 'check'; id: string; name: string }
  | { does: 'enable'; of: 'endpoint' | 'website'; id: string; name: string; enabled: boolean }
  | { does: 'mute'; scope: MaintenanceScope; what: string; seconds: number };

export interface Command {
  title: string;
  /** Distinguishes commands that have the same title. */
  note: string;
  act: Act;
}

/** The resources that the palette can find. */
export interface World {
  items: readonly Pick<OverviewItem, 'id' | 'name' | 'type' | 'status' | 'website'>[];
  websites: readonly Pick<Website, 'id' | 'name' | 'enabled' | 'endpoint_count'>[];
  pages: readonly (readonly [title: string, path: string])[];
  /** The open incidents. */
  incidents: readonly Pick<Incident, 'id' | 'number' | 'title' | 'summary'>[];
  mayWrite: boolean;
  mayMute: boolean;
}

type Item = World['items'][number];
type Site = World['websites'][number];

/** The maximum number of lines to show. */
const MOST = 12;
const HOUR = 3600;
const UNITS: Readonly<Record<string, number>> = { m: 60, h: HOUR, d: 24 * HOUR };

const VERBS = {
  check: 'Check an endpoint now',
  pause: 'Pause an endpoint or a website',
  resume: 'Resume an endpoint or a website',
  mute: 'Mute all, a website, or an endpoint',
} as const;

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/**
 * Returns how well a name matches: 0 if it starts with the typed text, 1 if one of its words does, or 2 if it contains
 * the words. `null` if it doesn't match.
 */
function rank(name: string, typed: string): number | null {
  const lower = name.toLowerCase();
  if (lower.startsWith(typed)) return 0;
  if (!wordsOf(typed).every((word) => lower.includes(word))) return null;
  return wordsOf(lower).some((word) => word.startsWith(typed)) ? 1 : 2;
}

/** Returns the matches, best first. Ties keep their order. */
function ranked<T extends { name: string }>(list: readonly T[], typed: string): T[] {
  const found = list.flatMap((each) => {
    const at = rank(each.name, typed);
    return at === null ? [] : [{ each, at }];
  });
  return found.sort((a, b) => a.at - b.at).map(({ each }) => each);
}

const kindOf = (of: Item | Site): 'endpoint' | 'website' => ('website' in of ? 'endpoint' : 'website');
const noteOf = (of: Item | Site): string => ('website' in of ? of.website.name : 'Website');

/** Splits text such as `shop 2 h` into the duration and the rest. */
function lengthIn(text: string): { rest: string; seconds: number } {
  const found = /\b(\d{1,3})\s*(m|h|d)(?:in|ours?|ays?)?$/.exec(text);
  const [, number = '1', unit = 'h'] = found ?? [];
  const rest = found ? text.slice(0, found.index).trimEnd() : text;
  return { rest, seconds: Math.max(1, Number(number)) * (UNITS[unit] ?? HOUR) };
}

function mutes(text: string, targets: readonly (Item | Site)[]): Command[] {
  const { rest, seconds } = lengthIn(text);
  const line = (what: string, note: string, scope: MaintenanceScope): Command => ({
    title: `Mute ${what} for ${duration(seconds)}`,
    note,
    act: { does: 'mute', scope, what, seconds },
  });
  const everything = 'all'.startsWith(rest) || 'everything'.startsWith(rest);
  return [
    ...(everything ? [line('Everything', 'All websites', { all: true })] : []),
    ...ranked(targets, rest).map((of) =>
      line(of.name, noteOf(of), kindOf(of) === 'website' ? { website_ids: [of.id] } : { endpoint_ids: [of.id] }),
    ),
  ];
}

function enables(text: string, targets: readonly (Item | Site)[], enabled: boolean): Command[] {
  const isPaused = (of: Item | Site) => ('website' in of ? of.status === 'paused' : !of.enabled);
  return ranked(
    targets.filter((of) => isPaused(of) === enabled),
    text,
  ).map((of) => ({
    title: `${enabled ? 'Resume' : 'Pause'} ${of.name}`,
    note: noteOf(of),
    act: { does: 'enable', of: kindOf(of), id: of.id, name: of.name, enabled },
  }));
}

/** Returns the commands for a verb and a name, such as `pause shop`. */
function deeds(verb: string, text: string, { items, websites }: World): Command[] {
  const targets = [...websites.filter(({ endpoint_count }) => endpoint_count > 0), ...items];
  if (verb === 'mute') return mutes(text, targets);
  if (verb === 'pause' || verb === 'resume') return enables(text, targets, verb === 'resume');
  if (verb !== 'check') return [];
  return ranked(checkable(items).checked, text).map((of) => ({
    title: `Check ${of.name} now`,
    note: noteOf(of),
    act: { does: 'check', id: of.id, name: of.name },
  }));
}

/** Returns the pages, open incidents, websites, and endpoints whose name matches. */
function places(typed: string, { items, websites, pages, incidents }: World): Command[] {
  const open = (name: string, note: string, path: string) => ({ name, note, path });
  const all = [
    ...pages.map(([title, path]) => open(title, 'Page', path)),
    ...incidents.map((of) => open(titleOf(of), `Incident #${of.number}`, `/incidents/${of.id}`)),
    ...websites.map(({ id, name }) => open(name, 'Website', `/websites/${id}`)),
    ...items.map((of) => open(of.name, `${noteOf(of)} · ${of.status}`, `/endpoints/${of.id}`)),
  ];
  return ranked(all, typed).map(({ name, note, path }) => ({ title: name, note, act: { does: 'open', path } }));
}

/** Returns the lines for the typed text, best first: commands, places, then words to continue with. */
export function commandsFor(typed: string, world: World): Command[] {
  const text = wordsOf(typed.toLowerCase()).join(' ');
  const [first = '', ...others] = text.split(' ');
  const allowed = Object.entries(VERBS).filter(([verb]) => (verb === 'mute' ? world.mayMute : world.mayWrite));
  const isDeed = allowed.some(([verb]) => verb === first) && (others.length > 0 || typed.endsWith(' '));
  const verbs = allowed.filter(([verb]) => !isDeed && verb.startsWith(text));
  const going = verbs.map(([verb, title]): Command => ({
    title,
    note: `${verb} …`,
    act: { does: 'type', text: `${verb} ` },
  }));
  const found = [...(isDeed ? deeds(first, others.join(' '), world) : []), ...places(text, world)];
  return text === '' ? [...going, ...found].slice(0, MOST) : [...found.slice(0, MOST - going.length), ...going];
}
