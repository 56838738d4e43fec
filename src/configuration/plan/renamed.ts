import { grouped } from '../../platform/text/grouped';
import type { Matches } from './matches';
import { pathOf } from './matching';
import type { Deletion, PlanNote } from './plan';
import type { PresentState } from './state/present-state';

/**
 * Returns notes for new websites and endpoints that look like an existing one with another key. Each note explains
 * whether the existing one and its history are kept.
 */
export function renamed(matches: Matches, state: PresentState, deletions: readonly Deletion[]): PlanNote[] {
  const gone = new Set(deletions.map(({ id }) => id));
  const declared = new Set([...matches.websites, ...matches.endpoints].map(({ id }) => id));
  const note = (noun: string, path: string, old: string, id: string): PlanNote => ({
    key: path,
    message: gone.has(id)
      ? `The key of the ${noun} has changed from ${old}. This is a deletion and a creation, and its history will be deleted.`
      : `The ${noun} looks like ${old}, which keeps its key and its history. This creates a second ${noun}.`,
  });
  const keyed = <Row extends { id: string; externalKey: string | null }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ id, externalKey }) => externalKey !== null && !declared.has(id));
  const websites = grouped(keyed(state.websites), ({ name }) => name);
  const endpoints = grouped(keyed(state.endpoints), ({ websiteId, name }) => `${websiteId} ${name}`);
  const keys = new Map(state.websites.map(({ id, externalKey }) => [id, externalKey ?? '']));
  return [
    ...matches.websites
      .filter(({ present }) => present === null)
      .flatMap(({ path, declared: { name } }) =>
        (websites.get(name.trim()) ?? [])
          .slice(0, 1)
          .map(({ id, externalKey }) => note('website', path, externalKey ?? '', id)),
      ),
    ...matches.endpoints
      .filter(({ present }) => present === null)
      .flatMap(({ path, website, declared: { name } }) =>
        (endpoints.get(`${website.id} ${name.trim()}`) ?? [])
          .slice(0, 1)
          .map(({ id, websiteId, externalKey }) =>
            note('endpoint', path, pathOf(keys.get(websiteId) ?? '', externalKey ?? ''), id),
          ),
      ),
  ];
}
