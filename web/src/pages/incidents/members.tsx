import { post } from '../../api/client';
import type { Incident, IncidentDetails, IncidentMember } from '../../api/types';
import { Button, Section } from '../../components/layout';
import { StatusPill } from '../../components/status';
import { count } from '../../logic/format';
import { againText, currentText, downText } from '../../logic/incident';
import { now } from '../../state/clock';
import { go } from '../../state/router';
import { useSelection } from '../../state/selection';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';
import { MakeParent } from './make-parent';

interface Props {
  of: IncidentDetails;
  /** The members loaded so far. */
  members: readonly IncidentMember[];
  more: () => void;
}

/** Lists an incident's endpoints, starting with those that are down. Some can be split off into a new incident. */
export function Members({ of, members, more }: Props) {
  const maySplit = may.write() && of.state === 'open' && of.endpoint_count > 1;
  const isAll = members.length >= of.endpoint_count;
  // In a long list, members that are loaded later come last.
  const shown = isAll
    ? members.toSorted(
        (a, b) =>
          Number(a.ended_at !== null) - Number(b.ended_at !== null) ||
          a.endpoint_name.localeCompare(b.endpoint_name, 'en'),
      )
    : members;
  const { current, isSelecting, picked, toggle, select } = useSelection({
    ids: shown.map(({ endpoint_id }) => endpoint_id),
    path: '/endpoints',
    maySelect: maySplit,
  });
  const split = async () => {
    let made: Incident | null = null;
    const text = `Moved ${count(picked.value.size, 'endpoint')} to a new incident.`;
    const send = async () => {
      made = await post<Incident>(`/api/v1/incidents/${of.id}/split`, { endpoint_ids: [...picked.value] });
    };
    if (!(await runAction(send, text))) return;
    select(false);
    if (made) go(`/incidents/${(made as Incident).id}`);
  };
  return (
    <Section title={of.state === 'open' && of.endpoint_count > 1 ? `Endpoints, ${downText(of)}` : 'Endpoints'}>
      <ul class="members">
        {shown.map((member) => (
          <li key={member.endpoint_id} data-current={member.endpoint_id === current.value ? '' : undefined}>
            {isSelecting.value && (
              <input
                type="checkbox"
                aria-label={`Select ${member.endpoint_name}`}
                checked={picked.value.has(member.endpoint_id)}
                onChange={() => toggle(member.endpoint_id)}
              />
            )}
            <span class="pill">
              <Pill of={member} severity={of.severity} />
            </span>
            <div>
              <p>
                <a id={`link-${member.endpoint_id}`} href={`#/endpoints/${member.endpoint_id}`}>
                  {member.endpoint_name}
                </a>{' '}
                <span class="muted small">{member.website_name}</span>
              </p>
              {member.error && <p class="muted small">{member.error.message}</p>}
            </div>
            <span class="num muted small">
              {currentText(member, now.value)}
              {member.outage_count > 1 && <span class="so-far">{againText(member, now.value)}</span>}
            </span>
          </li>
        ))}
      </ul>
      <div class="actions below">
        {!isAll && (
          <>
            <span class="muted">
              {members.length.toLocaleString('en')} of {count(of.endpoint_count, 'endpoint')}
            </span>
            <Button onClick={more}>Show more</Button>
          </>
        )}
        {maySplit && !isSelecting.value && <Button onClick={() => select(true)}>Split…</Button>}
        {maySplit && isSelecting.value && (
          <>
            <Button
              class="primary"
              disabled={picked.value.size === 0 || picked.value.size === of.endpoint_count}
              onClick={split}
            >
              {picked.value.size === 0 ? 'Select endpoints to split off' : `Split off ${picked.value.size}`}
            </Button>
            <Button onClick={() => select(false)}>Cancel</Button>
          </>
        )}
        <MakeParent of={of} members={members} />
      </div>
    </Section>
  );
}

/** Shows a member's state. A suppressed member is down, but was acknowledged with the incident. */
const Pill = ({ of, severity }: { of: IncidentMember; severity: Incident['severity'] }) =>
  of.ended_at !== null ? (
    <StatusPill status="up" />
  ) : of.suppressed ? (
    <StatusPill status="unknown" word="Acknowledged" />
  ) : (
    <StatusPill status={severity ?? 'down'} />
  );
