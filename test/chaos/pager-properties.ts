import { type Delivery, type History, nameOf, type Page } from './history';

/** Returns broken promises about the pager, one line each. An alert is open at the pager as long as it is triggered. */
export const pagerProperties = (history: History): string[] => [
  ...pagesAreOfEvents(history),
  ...pagerIsTold(history),
  ...keysThatOpenedAreClosed(history),
  ...openEpisodesArePaged(history),
];

function pagesAreOfEvents({ pages, pagerDeliveries }: History): string[] {
  const known = new Set(pagerDeliveries.map(({ incidentKey }) => incidentKey));
  return [...new Set(pages.map(({ key }) => key))]
    .filter((key) => !known.has(key))
    .map((key) => `invented page: no event has the key ${key}`);
}

const ACTION_OF: Readonly<Record<string, Page['action']>> = {
  triggered: 'trigger',
  acknowledged: 'acknowledge',
  resolved: 'resolve',
};

/** A trigger is skipped only together with its resolve, so that no one is paged for an episode that is over. */
function pagerIsTold({ pages, pagerDeliveries }: History): string[] {
  const over = keysThatAreOver(pagerDeliveries);
  return pagerDeliveries.flatMap((delivery) => {
    const { incidentKey, kind, state, detail } = delivery;
    const what = `${nameOf(delivery)} is ${state} ${detail ?? ''}`.trim();
    const isThere = pages.some(
      (page) => page.key === incidentKey && page.action === ACTION_OF[kind] && isAccepted(page),
    );
    if (state === 'delivered') return isThere ? [] : [`lost page: ${what}, and the pager never accepted it`];
    if (state !== 'superseded') return [`undelivered page: ${what}`];
    return kind === 'triggered' && !over.has(incidentKey) ? [`dropped page: ${what}`] : [];
  });
}

const keysThatAreOver = (deliveries: readonly Delivery[]): Set<string> =>
  new Set(deliveries.filter(({ kind }) => kind === 'resolved').map(({ incidentKey }) => incidentKey));

const isAccepted = ({ mode }: Page): boolean => mode === 'ok';
/** It received the whole request and may have acted on it, regardless of its response. */
const mayHaveActed = ({ mode }: Page): boolean => mode === 'ok' || mode === 'hang' || mode === 'reset';

/** If an episode is over and may have been opened at the pager, it was closed after its last possible opening. */
function keysThatOpenedAreClosed({ pages, pagerDeliveries }: History): string[] {
  return [...keysThatAreOver(pagerDeliveries)].flatMap((key) => {
    const ofKey = pages.filter((page) => page.key === key);
    const opened = ofKey.findLastIndex((page) => page.action !== 'resolve' && mayHaveActed(page));
    const closed = ofKey.findLastIndex((page) => page.action === 'resolve' && isAccepted(page));
    return opened > closed ? [`open at the pager for ever: ${key}`] : [];
  });
}

function openEpisodesArePaged({ pages, pagerDeliveries, triggeredPagers }: History): string[] {
  const open = openKeys(pages);
  return [...triggeredPagers].flatMap((alert) => {
    const trigger = pagerDeliveries.findLast((one) => one.alert === alert && one.kind === 'triggered');
    if (!trigger) return [`nobody is paged: ${alert} is triggered without an event`];
    return open.has(trigger.incidentKey) ? [] : [`nobody is paged: ${nameOf(trigger)}, which is open`];
  });
}

/** Returns the keys that are open at the pager after the requests that it accepted. */
export function openKeys(pages: readonly Page[]): Set<string> {
  const open = new Set<string>();
  for (const { key, action } of pages.filter(isAccepted))
    if (action === 'resolve') open.delete(key);
    else open.add(key);
  return open;
}
