import type { ChannelAudience } from '../../channel/channel';
import { calmed, planQueue, type QueueMessage, type RowEnd } from './queue-plan';
import type { HeadRow, WaitingRow } from '../send/delivery-queries';
import { isHuman } from '../delivery';
import type { ShippedRow } from '../send/attempt';
import { countsAs, DIGEST_NAMED, type StormDecision } from './rate-limit';

/** A resolve whose trigger is being sent again looks after it this often. */
const WAIT_FOR_TRIGGER_MS = 5000;

/** A message with its rows, ready to leave. */
export interface Ready {
  message: QueueMessage;
  rows: readonly WaitingRow[];
}

/** What the due queues of one destination amount to, in the order in which it matters. */
export interface Planned {
  ready: Ready[];
  ended: RowEnd[];
  held: { id: string; until: Date }[];
}

/** Plans every queue whose head is due. Queues that changed under our eyes, or have a message in flight, are left alone. */
export function planDestination(
  heads: readonly HeadRow[],
  rows: readonly WaitingRow[],
  /** Transitions of the last hour; of alerts that are not listed, few. */
  transitions: ReadonlyMap<string, number>,
  audience: ChannelAudience,
  now: Date,
): Planned {
  const planned: Planned = { ready: [], ended: [], held: [] };
  const queues = queuesOf(rows);
  for (const head of heads) {
    if (head.kind === 'test') planned.ended.push({ id: head.id, state: 'failed', detail: 'interrupted' });
    else if (head.redeliver)
      planRedelivery(
        planned,
        rows.find(({ id }) => id === head.id),
      );
    else planAlert(planned, head, queues.get(head.alertId) ?? [], transitions.get(head.alertId) ?? 0, audience, now);
  }
  return planned;
}

function queuesOf(rows: readonly WaitingRow[]): Map<string, WaitingRow[]> {
  const queues = new Map<string, WaitingRow[]>();
  for (const row of rows) {
    if (row.redeliver) continue;
    const queue = queues.get(row.alertId);
    if (queue) queue.push(row);
    else queues.set(row.alertId, [row]);
  }
  return queues;
}

/** Somebody asked for this very message: it goes as it is, past its queue. */
function planRedelivery({ ready }: Planned, row: WaitingRow | undefined): void {
  if (!row) return;
  const { id, kind, mayHaveArrived } = row;
  const message: QueueMessage = {
    kind,
    carrier: id,
    companion: null,
    repeat: mayHaveArrived,
    rows: [{ id, state: 'delivered', detail: 'redelivered' }],
  };
  ready.push({ message, rows: [row] });
}

function planAlert(
  planned: Planned,
  head: HeadRow,
  queue: readonly WaitingRow[],
  transitions: number,
  audience: ChannelAudience,
  now: Date,
): void {
  if (queue[0]?.id !== head.id || queue.some(({ inFlight }) => inFlight)) return;
  const { ended, message } = planQueue(queue, audience);
  planned.ended.push(...ended);
  if (!message) return hold(planned, queue, new Date(now.getTime() + WAIT_FOR_TRIGGER_MS));
  planned.ready.push({ message: isHuman(audience) ? calmed(message, transitions) : message, rows: queue });
}

/** The first row that is still in the queue waits, and all behind it. */
function hold({ ended, held }: Planned, queue: readonly WaitingRow[], until: Date): void {
  const over = new Set(ended.map(({ id }) => id));
  const next = queue.find(({ id }) => !over.has(id));
  if (next) held.push({ id: next.id, until });
}

/** The messages that leave now, as groups of what is told together. */
export function grouped(ready: readonly Ready[], { singles, digest }: StormDecision): Ready[][] {
  const alone = ready.slice(0, singles).map((one) => [one]);
  return digest ? [...alone, ready.slice(singles)] : alone;
}

/** What a group says: the rows it tells with their ends, and how a digest counts them. */
export function contents(group: readonly Ready[], isDigest: boolean) {
  const counts = { triggered: 0, resolved: 0 };
  for (const { message } of group) counts[countsAs(message.kind)]++;
  return {
    messages: group.slice(0, DIGEST_NAMED).map(({ message }) => message),
    repeat: group.some(({ message }) => message.repeat),
    digest: isDigest ? counts : null,
    rows: group.flatMap(({ message, rows }) => shippedRows(message, rows, isDigest)),
  };
}

function shippedRows(message: QueueMessage, rows: readonly WaitingRow[], isDigest: boolean): ShippedRow[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  return message.rows.flatMap((end) => {
    const row = known.get(end.id);
    if (!row) return [];
    const { rejections, mayHaveArrived, createdAt } = row;
    const told: RowEnd = isDigest && end.state === 'delivered' ? { ...end, detail: 'digest' } : end;
    return [{ end: told, attempts: row.attempts + 1, rejections, mayHaveArrived, createdAt }];
  });
}
