import type { Delivery } from '../../api/types';
import { isTroubled } from '../../logic/alert-state';
import { time } from '../../logic/format';
import { now } from '../../state/clock';
import { runAction } from '../../state/toast';
import { post } from '../../api/client';
import { Button } from '../layout';
import { StatusPill } from '../status';

type Summary = Pick<Delivery, 'state' | 'error'>;

const STATES = { delivered: 'up', failed: 'down', pending: 'unknown', superseded: 'paused' } as const;
const WORDS = { delivered: 'Delivered', failed: 'Failed', pending: 'Pending', superseded: 'Not sent' } as const;

/** Shows a message's state: delivered, failing, given up, or superseded. */
export const DeliveryState = ({ of }: { of: Summary }) =>
  of.state === 'pending' && isTroubled(of) ? (
    <StatusPill status="down" word="Failing" />
  ) : (
    <StatusPill status={STATES[of.state]} word={WORDS[of.state]} />
  );

/** Shows a message's state with the time and the error. */
export const DeliveryFacts = ({ of }: { of: (Summary & { at: string }) | null }) =>
  of === null ? (
    <span class="muted">Nothing sent</span>
  ) : (
    <>
      <DeliveryState of={of} /> <span class="muted small">{time(of.at, now.value)}</span>
      {of.error !== null && <p class="small reason">{of.error}</p>}
    </>
  );

/** A button that resends a finished message. */
export const SendAgain = ({ id, then }: { id: string; then: () => void }) => (
  <Button
    class="plain"
    onClick={async () => {
      await runAction(() => post(`/api/v1/deliveries/${id}/redeliver`), 'Sending it again.');
      then();
    }}
  >
    Send again
  </Button>
);
