import { useSignal } from '@preact/signals';
import type { Check, Endpoint } from '../../api/types';
import { checkCommand } from '../../logic/commands';
import { age, duration, time } from '../../logic/format';
import { expectationText, waitingText } from '../../logic/heartbeat';
import { whichText } from '../../logic/location';
import { shownStatus } from '../../logic/overview-order';
import { isProbe } from '../../logic/probe';
import { now } from '../../state/clock';
import { deleteEndpoints } from '../../state/endpoint-actions';
import { useKeys } from '../../state/keyboard';
import { muteHour } from '../../state/mute';
import { itemOf } from '../../state/overview-store';
import { go } from '../../state/router';
import { may } from '../../state/session';
import { AcknowledgeDialog } from '../acknowledge';
import { CopyButton } from '../copy';
import { EndpointLinks } from '../endpoint-links';
import { Button, Head } from '../layout';
import { Menu } from '../menu';
import { Shape, statusWord } from '../status';

interface Props {
  endpoint: Endpoint;
  /** The time since which the endpoint has had this status. */
  since: string | null;
  newest: Check | undefined;
  onCheck: () => Promise<void>;
  onPause: () => Promise<void>;
  reload: () => void;
}

/** Shows an endpoint's name, its status and start time, and the available actions. */
export function EndpointHead({ endpoint, since, newest, onCheck, onPause, reload }: Props) {
  const isAcknowledging = useSignal(false);
  const isInTrouble = endpoint.status === 'down' || itemOf(endpoint.id)?.alert_open === true;
  const mayAcknowledge = isInTrouble && !endpoint.acknowledgement;
  const destroy = async () => {
    if (await deleteEndpoints([endpoint])) go('/');
  };
  useKeys({ a: () => may.respond() && mayAcknowledge && (isAcknowledging.value = true) });
  const { heartbeat } = endpoint;
  const copy = !heartbeat && !isProbe(endpoint) && (
    <CopyButton
      label={endpoint.type.startsWith('HTTP') ? 'Copy as curl' : 'Copy as command'}
      text={checkCommand(endpoint)}
    />
  );
  return (
    <Head
      parent={[`#/?website=${endpoint.website_id}`, endpoint.group]}
      title={endpoint.name}
      tab={tabTitle(endpoint, since)}
      owner={endpoint.owner}
      actions={
        may.respond() ? (
          <>
            {mayAcknowledge && (
              <Button class="alarm" onClick={() => (isAcknowledging.value = true)}>
                Acknowledge
              </Button>
            )}
            {may.write() && !heartbeat && (
              <Button class={mayAcknowledge ? undefined : 'primary'} onClick={onCheck}>
                Check now
              </Button>
            )}
            <Button onClick={() => muteHour({ endpoint_ids: [endpoint.id] }, endpoint.name).then(reload)}>
              Mute 1 h
            </Button>
            {may.write() ? (
              <Menu label="More">
                <Button onClick={onPause}>{endpoint.enabled ? 'Pause' : 'Resume'}</Button>
                <a class="button" href={`#/endpoints/${endpoint.id}/edit`}>
                  Edit
                </a>
                <a class="button" href={`#/new?copy=${endpoint.id}`}>
                  Clone
                </a>
                {copy}
                <hr />
                <Button class="danger" onClick={destroy}>
                  Delete
                </Button>
              </Menu>
            ) : (
              copy
            )}
          </>
        ) : (
          copy
        )
      }
    >
      <State endpoint={endpoint} since={since} newest={newest} />
      {heartbeat && <p class="expected">{expectationText(heartbeat, now.value)}</p>}
      <p class="muted">
        <span class="chip">{endpoint.type}</span>{' '}
        {heartbeat ? (
          waitingText(heartbeat)
        ) : (
          <>
            <span class="mono">{endpoint.url}</span> · every {duration(endpoint.interval ?? 0)}
            {!isProbe(endpoint) && <>, timeout {duration(endpoint.timeout ?? 0)}</>}
          </>
        )}
      </p>
      <EndpointLinks endpoint={endpoint} />
      {isAcknowledging.value && (
        <AcknowledgeDialog
          path={`endpoints/${endpoint.id}`}
          name={endpoint.name}
          onClose={() => {
            isAcknowledging.value = false;
            reload();
          }}
        />
      )}
    </Head>
  );
}

/** Returns the title of the browser tab, such as `Checkout, down 14 min`. */
function tabTitle(endpoint: Endpoint, since: string | null): string {
  const status = shownStatus(endpoint);
  if (status === 'up') return endpoint.name;
  return `${endpoint.name}, ${statusWord(status).toLowerCase()}${since === null ? '' : ` ${age(since, now.value)}`}`;
}

/** Shows the status and its duration in large type, with the start time and the reason below. */
function State({ endpoint, since, newest }: Pick<Props, 'endpoint' | 'since' | 'newest'>) {
  const status = shownStatus(endpoint);
  const why =
    whichText(endpoint.by_location, now.value) ??
    (endpoint.status === 'down'
      ? newest?.error?.message
      : endpoint.status === 'up'
        ? newest?.warning?.message
        : undefined);
  return (
    <>
      <p class={`status state ${status}`}>
        <Shape status={status} size={24} />
        <span>
          {statusWord(status)}
          {since !== null && (
            <>
              {' for '}
              <span>{duration((now.value - Date.parse(since)) / 1000)}</span>
            </>
          )}
        </span>
      </p>
      {(since !== null || why) && (
        <p>
          {since !== null && <span class="muted">since {time(since, now.value)}</span>}
          {since !== null && why && ' · '}
          {why && <strong>{why}</strong>}
        </p>
      )}
    </>
  );
}
