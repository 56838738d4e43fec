import { put, remove } from '../../api/client';
import type { Contact } from '../../api/types';
import { count, steadyDuration } from '../../logic/format';
import { acknowledgedLine, type Trouble } from '../../logic/overview-now';
import { now } from '../../state/clock';
import { refreshIncidents } from '../../state/incidents';
import { refreshSoon } from '../../state/overview-store';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';
import { Button } from '../layout';
import { lazy } from '../lazy';
import { Shape, statusWord } from '../status';

// The rest of the row is shown first.
const Notified = lazy(() => import('./notified').then((file) => file.Notified), false);

/** How many problems are shown above the list. With more, the list would start too far down. */
const MOST = { phone: 1, desk: 2 };

/** Shows what is wrong now, as rows that can be acknowledged or opened. */
export function Troubles({ of, contacts }: { of: readonly Trouble[]; contacts: readonly Contact[] }) {
  if (of.length === 0) return null;
  const shown = of.slice(0, innerWidth <= 640 ? MOST.phone : MOST.desk);
  const more = of.length - shown.length;
  const first = shown.find(mayAcknowledge);
  return (
    <div class="troubles">
      <ul>
        {shown.map((each) => (
          <Row key={each.id} of={each} isFirst={each === first} contacts={contacts} />
        ))}
      </ul>
      {more > 0 && (
        <a class="more-troubles" href="#/incidents">
          {count(more, 'more incident')}
        </a>
      )}
    </div>
  );
}

const mayAcknowledge = ({ acknowledgement, incident }: Trouble): boolean =>
  acknowledgement === null && incident?.kind === 'detected' && may.respond();

interface RowProps {
  of: Trouble;
  /** Whether it has the one prominent button. */
  isFirst: boolean;
  contacts: readonly Contact[];
}

function Row({ of, isFirst, contacts }: RowProps) {
  const { acknowledgement, incident } = of;
  return (
    <li class={acknowledgement === null ? of.status : 'quiet'}>
      <span class={`shape ${of.status}`}>
        <Shape status={of.status} size={14} />
        <span class="sr">{statusWord(of.status)}: </span>
      </span>
      <div class="what">
        <p>
          <a href={of.href}>{of.title}</a> <span class="muted small">{of.where}</span>
        </p>
        <p class="small">
          {of.why !== '' && <span class="why">{of.why}</span>}
          {acknowledgement ? (
            <span>{acknowledgedLine(acknowledgement, now.value)}</span>
          ) : incident?.kind === 'detected' ? (
            <Notified of={incident.id} since={incident.started_at} contacts={contacts} />
          ) : (
            of.note !== '' && <span>{of.note}</span>
          )}
        </p>
      </div>
      <span class="lasts">{steadyDuration(Math.max(0, now.value - Date.parse(of.since)) / 1000)}</span>
      {mayAcknowledge(of) ? (
        <Button
          class={isFirst ? 'alarm' : undefined}
          label={`Acknowledge: ${of.title}`}
          onClick={() => acknowledge(of)}
        >
          Acknowledge
        </Button>
      ) : (
        <a class="button" href={of.href} aria-label={`Open: ${of.title}`}>
          Open
        </a>
      )}
    </li>
  );
}

/** Acknowledges the whole incident in one click. The user can undo it, or add a note on the incident's page. */
async function acknowledge({ id, title }: Trouble): Promise<void> {
  const path = `/api/v1/incidents/${id}/acknowledgement`;
  const undo = async () => {
    await runAction(() => remove(path), 'Acknowledgement removed.');
    void refreshIncidents();
  };
  await runAction(() => put(path, { note: '', until: null }), `Acknowledged: ${title}.`, undo);
  void refreshIncidents();
  refreshSoon();
}
