import { byId, type Delivery, type History, isAccepted, nameOf, overlap, type Span } from './history';

/** One episode of one alert, as reconstructed from its deliveries. */
interface Episode {
  trigger: Delivery | null;
  resolve: Delivery | null;
  reminders: Delivery[];
  all: Delivery[];
}

/** Returns broken promises about the destinations and reminders of episodes, one line each. */
export function episodeProperties(history: History): string[] {
  const episodes = [...episodesOf(history.deliveries).values()];
  return [
    ...idsAreDistinct(history.deliveries),
    ...episodesHaveOneKey(episodes),
    ...resolvesFollowTriggers(episodes, history),
    ...openEpisodesAreToldWhereAlertsNotify(episodes, history),
    ...episodesEndForAReason(history),
    ...episodes.flatMap((episode) => remindersAreNumbered(episode)),
    ...episodes.flatMap((episode) => remindersLieBetween(episode, history)),
    ...remindersKeepQuiet(episodes, history),
    ...remindersComeWhenDue(episodes, history),
  ];
}

function episodesOf(deliveries: readonly Delivery[]): Map<string, Episode> {
  const episodes = new Map<string, Episode>();
  for (const delivery of deliveries) {
    const key = `${delivery.alert} ${delivery.episodeNo}`;
    const episode = episodes.get(key) ?? { trigger: null, resolve: null, reminders: [], all: [] };
    episode.all.push(delivery);
    if (delivery.kind === 'triggered') episode.trigger = delivery;
    if (delivery.kind === 'resolved') episode.resolve = delivery;
    if (delivery.kind === 'reminder') episode.reminders.push(delivery);
    episodes.set(key, episode);
  }
  return episodes;
}

function idsAreDistinct(deliveries: readonly Delivery[]): string[] {
  const counts = new Map<string, number>();
  for (const { id } of deliveries) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count > 1 ? [`one id, ${count} messages: ${id}`] : []));
}

function episodesHaveOneKey(episodes: readonly Episode[]): string[] {
  const owners = new Map<string, Delivery>();
  return episodes.flatMap(({ all }) => {
    const keys = new Set(all.map(({ incidentKey }) => incidentKey));
    const [first] = all;
    if (!first) return [];
    if (keys.size > 1) return [`one episode, ${keys.size} keys: ${nameOf(first)}`];
    const owner = owners.get(first.incidentKey);
    owners.set(first.incidentKey, first);
    return owner ? [`one key, two episodes: ${nameOf(owner)} and ${nameOf(first)}`] : [];
  });
}

/** Every recipient of a trigger gets its resolve, and no one else does. */
function resolvesFollowTriggers(episodes: readonly Episode[], { received }: History): string[] {
  const arrivals = byId(received.filter(isAccepted));
  const channelsOf = ({ id }: Delivery) => new Set((arrivals.get(id) ?? []).map(({ channel }) => channel));
  return episodes.flatMap(({ trigger, resolve }) => {
    if (trigger?.state !== 'delivered' || resolve?.state !== 'delivered') return [];
    const told = channelsOf(trigger);
    return [...channelsOf(resolve)]
      .filter((channel) => !told.has(channel))
      .map((channel) => `told elsewhere: ${nameOf(resolve)} at channel ${channel}, its trigger at ${[...told].join()}`);
  });
}

/** The maximum delay of an attempt after it read the route. After it, only the new route may be used. */
const ROUTE_LIMIT_MS = 10_000;

/** An open episode was sent to the current URL of its alert, with the credential of that time. */
function openEpisodesAreToldWhereAlertsNotify(episodes: readonly Episode[], { received, present }: History): string[] {
  const arrivals = byId(received.filter(isAccepted));
  return episodes.flatMap(({ trigger, resolve, all }) => {
    const route = trigger && !resolve ? present.get(trigger.alert) : undefined;
    if (!trigger || !route) return [];
    const told = (arrivals.get(trigger.id) ?? []).map(({ channel }) => channel);
    const broken = all.flatMap((delivery) =>
      (arrivals.get(delivery.id) ?? [])
        .filter(({ at }) => at > route.since + ROUTE_LIMIT_MS)
        .filter(({ channel, rotation }) => channel !== route.channel || rotation !== route.rotation)
        .map(
          ({ channel, rotation }) =>
            `stale route: ${nameOf(delivery)} went to channel ${channel} with credential ${rotation}, not ${route.channel} with ${route.rotation}`,
        ),
    );
    if (told.length > 0 && !told.includes(route.channel))
      broken.push(`not begun again: ${nameOf(trigger)} was told at channel ${told.join()}, not ${route.channel}`);
    return broken;
  });
}

/** The maximum difference between the clocks of the database and this process. */
const CLOCK_TOLERANCE_MS = 2000;

/** Only checks, stops, and changed URLs end episodes. A rotated credential does not. */
function episodesEndForAReason({ deliveries, endings }: History): string[] {
  return deliveries.flatMap((delivery) => {
    if (delivery.kind !== 'resolved' || delivery.reason === 'threshold') return [];
    const moment: Span = { from: delivery.at - CLOCK_TOLERANCE_MS, to: delivery.at + CLOCK_TOLERANCE_MS };
    const writes = [delivery.alert, delivery.contact ?? ''].flatMap((name) => endings.get(name) ?? []);
    if (writes.some((span) => overlap(span, moment))) return [];
    return [`ended by nothing: ${nameOf(delivery)} has the reason ${delivery.reason}`];
  });
}

function remindersAreNumbered({ reminders }: Episode): string[] {
  return reminders.flatMap((reminder, index) =>
    reminder.ordinal === index + 1 ? [] : [`reminders out of count: ${nameOf(reminder)} is number ${reminder.ordinal}`],
  );
}

/** Reminders come after the trigger and before the resolve, both when they are enqueued and when they arrive. */
function remindersLieBetween({ trigger, resolve, reminders, all }: Episode, { received }: History): string[] {
  if (reminders.length === 0) return [];
  const arrivals = byId(received.filter(isAccepted));
  const firstAt = ({ id }: Delivery, channel: number) =>
    (arrivals.get(id) ?? []).find((arrival) => arrival.channel === channel)?.at ?? null;
  return reminders.flatMap((reminder) => {
    const place = all.indexOf(reminder);
    const [from, to] = [trigger ? all.indexOf(trigger) : all.length, resolve ? all.indexOf(resolve) : all.length];
    if (place < from || place > to) return [`reminder outside of its episode: ${nameOf(reminder)}`];
    const [first] = arrivals.get(reminder.id) ?? [];
    if (!first || !trigger) return [];
    const [triggeredAt, resolvedAt] = [trigger, resolve].map((one) => one && firstAt(one, first.channel));
    if (triggeredAt === null || triggeredAt === undefined || triggeredAt > first.at)
      return [`reminder of what was not told: ${nameOf(reminder)} at channel ${first.channel}`];
    return resolvedAt && resolvedAt < first.at ? [`reminder of what is over: ${nameOf(reminder)}`] : [];
  });
}

/** The maximum delay of a job that read before the acknowledgement. */
const JOB_LIMIT_MS = 5000;

function remindersKeepQuiet(episodes: readonly Episode[], { quiet, downtimes }: History): string[] {
  return episodes.flatMap(({ trigger, reminders }) =>
    reminders
      .filter(({ endpoint, at }) =>
        quiet.some(
          (span) =>
            span.endpoint === endpoint &&
            (trigger?.at ?? 0) < span.from &&
            at > span.from + JOB_LIMIT_MS &&
            at < span.to - CLOCK_TOLERANCE_MS,
        ),
      )
      .filter(({ at }) => !downtimes.some((span) => overlap(span, { from: at - JOB_LIMIT_MS, to: at })))
      .map((reminder) => `reminder while quiet: ${nameOf(reminder)}`),
  );
}

/** The minimum period of the API, which all alerts here have. */
const PERIOD_MS = 300_000;
/** The maximum difference between clocks on one machine. A due time before a reminder does not justify the next one. */
const DUE_TOLERANCE_MS = 250;
/**
 * The maximum time from due to sent, including kills, restarts, and outages of the database. An instance looks for
 * due reminders every 20 s. Each reading of the embedded database stops it, and on a busy machine it may not run 20 s
 * in between.
 */
export const REMINDER_LIMIT_MS = 180_000;

/**
 * Each reminder has its own reason since the previous one: it was made due, or a full period passed. And none is
 * missing.
 */
function remindersComeWhenDue(
  episodes: readonly Episode[],
  { dues, awaited, quiet, incidentsInHand }: History,
): string[] {
  const broken = episodes.flatMap(({ trigger, reminders }) =>
    reminders.flatMap((reminder, index) => {
      const before = reminders[index - 1] ?? trigger;
      if (!before) return [];
      const between: Span = { from: before.at - DUE_TOLERANCE_MS, to: reminder.at + DUE_TOLERANCE_MS };
      const isDue = dues.some((due) => overlap(due, between)) || between.to - between.from > PERIOD_MS;
      return isDue ? [] : [`reminder that was not due: ${nameOf(reminder)}, number ${reminder.ordinal}`];
    }),
  );
  const byName = new Map(episodes.map((one) => [`${one.all[0]?.alert} ${one.all[0]?.episodeNo}`, one]));
  for (const { alert, endpoint, episodeNo, reminders, at } of awaited) {
    const episode = byName.get(`${alert} ${episodeNo}`);
    const until = at + REMINDER_LIMIT_MS;
    const isOver = (episode?.resolve?.at ?? Number.POSITIVE_INFINITY) < until;
    const isQuiet = [...quiet.filter((span) => span.endpoint === endpoint), ...incidentsInHand].some((span) =>
      overlap(span, { from: at, to: until }),
    );
    if (!isOver && !isQuiet && (episode?.reminders.length ?? 0) <= reminders)
      broken.push(`no reminder: episode ${episodeNo} of ${alert}, due at ${new Date(at).toISOString()}`);
  }
  return broken;
}
