import { signal, useSignal } from '@preact/signals';
import { post, put, remove } from '../../api/client';
import type { OverviewItem } from '../../api/types';
import { count } from '../../logic/format';
import { checkable } from '../../logic/heartbeat';
import { progress, runBulk, stopBulk } from '../../state/bulk';
import { deleteEndpoints } from '../../state/endpoint-actions';
import { into } from '../../state/load';
import { muteHour } from '../../state/mute';
import { items, websites } from '../../state/overview-store';
import { picked } from '../../state/overview-view';
import { showToast } from '../../state/toast';
import { confirmed, Dialog } from '../dialog';
import { Choice } from '../form/field';
import { Form } from '../form/form';
import { Button } from '../layout';
import { BulkChanges } from './bulk-changes';

const isMoving = signal(false);

const pathOf = ({ id }: OverviewItem): string => `/api/v1/endpoints/${id}`;

/** The maximum number of items that the message after the deletion can restore. */
const MOST_TAKEN_BACK = 10;

async function destroy(list: readonly OverviewItem[]): Promise<void> {
  if (list.length <= MOST_TAKEN_BACK) {
    if (await deleteEndpoints(list)) picked.value = new Set();
    return;
  }
  const names = list.slice(0, 5).map(({ name }) => `“${name}”`);
  if (list.length > names.length) names.push(count(list.length - names.length, 'other'));
  const text = `Alert rules and history are also deleted. You can restore them for 7 days under Settings. Endpoints: ${names.join(', ')}.`;
  if (!(await confirmed(`Delete ${count(list.length, 'endpoint')}`, text))) return;
  await runBulk('Deleted', list, (item) => remove(pathOf(item)));
}

/** Pauses or resumes endpoints. The user can undo this for the endpoints that changed. */
async function setAll(list: readonly OverviewItem[], enabled: boolean): Promise<void> {
  const work = (to: boolean) => (item: OverviewItem) => put(pathOf(item), { enabled: to });
  const verb = (to: boolean) => (to ? 'Resumed' : 'Paused');
  await runBulk(verb(enabled), list, work(enabled), (done) =>
    runBulk(
      verb(!enabled),
      done.filter(({ status }) => (status === 'paused') === enabled),
      work(!enabled),
    ),
  );
}

/** The maximum number of endpoints in one maintenance window. */
const MOST_MUTED = 1000;

async function mute(list: readonly OverviewItem[]): Promise<void> {
  const [first] = list;
  const what = list.length === 1 && first ? first.name : count(list.length, 'endpoint');
  for (let at = 0; at < list.length; at += MOST_MUTED) {
    const ids = list.slice(at, at + MOST_MUTED).map(({ id }) => id);
    if (!(await muteHour({ endpoint_ids: ids }, what))) return;
  }
  picked.value = new Set();
}

async function checkAll(list: readonly OverviewItem[]): Promise<void> {
  const { checked, leftOut } = checkable(list);
  if (leftOut !== null) showToast(leftOut, 'warn');
  if (checked.length > 0) await runBulk('Checked', checked, (item) => post(`${pathOf(item)}/checks`));
}

/**
 * The actions for the selected endpoints, and the progress of the latest action. `shown` has all endpoints that match
 * the filters.
 */
export function BulkBar({ shown }: { shown: readonly OverviewItem[] }) {
  const list = (items.value ?? []).filter(({ id }) => picked.value.has(id));
  if (list.length === 0 && !progress.value) return null;
  const isBusy = progress.value?.isOver === false;
  return (
    <section class="bulk" aria-label="Selected endpoints">
      <Report />
      {list.length > 0 && !isBusy && (
        <div class="actions">
          <strong role="status">{list.length.toLocaleString('en')} selected</strong>
          <Button onClick={() => checkAll(list)}>Check now</Button>
          <Button onClick={() => setAll(list, false)}>Pause</Button>
          <Button onClick={() => setAll(list, true)}>Resume</Button>
          <Button onClick={() => mute(list)}>Mute 1 h</Button>
          <Button onClick={() => (isMoving.value = true)}>Move…</Button>
          <BulkChanges list={list} />
          <Button class="danger" onClick={() => destroy(list)}>
            Delete
          </Button>
          {list.length < shown.length && (
            <Button class="plain" onClick={() => (picked.value = new Set(shown.map(({ id }) => id)))}>
              Select all {shown.length.toLocaleString('en')} shown
            </Button>
          )}
          <Button class="plain" onClick={() => (picked.value = new Set())}>
            Select none
          </Button>
        </div>
      )}
      {isMoving.value && <Move list={list} />}
    </section>
  );
}

function Report() {
  const { value } = progress;
  if (!value) return null;
  const { verb, done, total, isOver, failures, undo } = value;
  const number = (n: number) => n.toLocaleString('en');
  return (
    <div class="report">
      <p role="status">
        {isOver
          ? `${verb}: ${number(done - failures.length)} of ${number(total)}.${failures.length > 0 ? ` Failed: ${number(failures.length)}, still selected.` : ''}`
          : `${verb}: ${number(done)} of ${number(total)}…`}
      </p>
      {failures.length > 0 && (
        <ul tabIndex={0} aria-label="Failures">
          {failures.map(({ name, reason }) => (
            <li key={name}>
              <strong>{name}</strong>: {reason}
            </li>
          ))}
        </ul>
      )}
      {isOver && undo && <Button onClick={undo}>Undo</Button>}
      {isOver ? (
        <Button onClick={() => (progress.value = null)}>Dismiss</Button>
      ) : (
        <Button onClick={stopBulk}>Stop</Button>
      )}
    </div>
  );
}

function Move({ list }: { list: readonly OverviewItem[] }) {
  const target = useSignal('');
  const close = () => {
    isMoving.value = false;
  };
  const others = (websites.value ?? []).filter(({ id }) => list.some(({ website }) => website.id !== id));
  const chosen = target.value || (others[0]?.id ?? '');
  const move = async () => {
    close();
    await runBulk(
      'Moved',
      list,
      (item) => put(pathOf(item), { website_id: chosen }),
      (done) => runBulk('Moved back', done, (item) => put(pathOf(item), { website_id: item.website.id })),
    );
  };
  return (
    <Dialog title={`Move ${count(list.length, 'endpoint')}`} onClose={close}>
      <p>History and alert rules are also moved.</p>
      <Form save={move} action="Move" more={() => <Button onClick={close}>Cancel</Button>}>
        {() => (
          <Choice
            label="Move to website"
            value={chosen}
            set={into(target)}
            options={others.map(({ id, name }) => [id, name] as const)}
          />
        )}
      </Form>
    </Dialog>
  );
}
