import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { query } from '../../api/client';
import type { MaintenanceWindow } from '../../api/types';
import { Dialog } from '../../components/dialog';
import { Empty } from '../../components/empty';
import { Choice } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Icon } from '../../components/icons';
import { Button, Head, Skeleton, Table } from '../../components/layout';
import { effectsText, recurrenceText, scopeText } from '../../logic/maintenance';
import { EVERYTHING, scopeOf } from '../../logic/maintenance-draft';
import { listen } from '../../state/live';
import { into, useEvery, usePages } from '../../state/load';
import { muteNow } from '../../state/mute';
import { route, setQuery } from '../../state/router';
import { may } from '../../state/session';
import { WindowActions } from './actions';
import { ScopeFields } from './scope-fields';
import { nameIn, nextText, useWebsites, WindowPill } from './words';

const FILTERS = ['active', 'scheduled', 'ended'] as const;

/** Lists maintenance windows and mutes: current, future, and past ones. */
export function MaintenancePage() {
  const status = FILTERS.find((each) => each === route.value.query.get('status')) ?? '';
  const version = useSignal(0);
  const isMuting = useSignal(false);
  const reload = () => {
    version.value++;
  };
  const windows = usePages<MaintenanceWindow>(
    `/api/v1/maintenance-windows${query({ status, limit: 50 })}`,
    version.value,
  );
  const websites = useWebsites();
  useEffect(() => listen({ maintenance: reload, ready: reload }), []);
  useEvery(30, reload);
  const list = windows.items.value;
  const name = nameIn(websites.data.value);
  return (
    <>
      <Head
        title="Maintenance"
        actions={
          may.write() && (
            <>
              <Button onClick={() => (isMuting.value = true)}>Mute…</Button>
              <a class="button primary" href="#/maintenance/new">
                <Icon name="plus" /> New window
              </a>
            </>
          )
        }
      />
      <div class="filters">
        <div class="range" role="group" aria-label="Which windows">
          {['', ...FILTERS].map((each) => (
            <button type="button" key={each} aria-pressed={status === each} onClick={() => setQuery({ status: each })}>
              {each === '' ? 'All' : each.charAt(0).toUpperCase() + each.slice(1)}
            </button>
          ))}
        </div>
      </div>
      {!list && <Skeleton />}
      {list?.length === 0 && (
        <Empty drawing="week">
          {status === '' ? (
            <>
              <h2>No maintenance windows yet</h2>
              <p>During a maintenance window, no alerts are sent and downtime does not count.</p>
            </>
          ) : (
            <p>No windows are {status}.</p>
          )}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label="Maintenance windows"
          head={['State', 'Window', '~Covers', 'When', '']}
          rows={list.map((window) => [
            <WindowPill status={window.status} />,
            <>
              <a href={`#/maintenance/${window.id}`}>{window.name}</a>
              <p class="muted small">{effectsText(window)}</p>
            </>,
            scopeText(window.scope, name),
            <>
              <p>{nextText(window)}</p>
              {window.cron !== null && <p class="muted small">{recurrenceText(window)}</p>}
            </>,
            <WindowActions of={window} then={reload} />,
          ])}
        />
      )}
      {windows.older && <Button onClick={windows.older}>Older windows</Button>}
      {isMuting.value && (
        <Mute
          onClose={() => {
            isMuting.value = false;
            reload();
          }}
        />
      )}
    </>
  );
}

const LENGTHS = [
  ['900', '15 minutes'],
  ['3600', '1 hour'],
  ['14400', '4 hours'],
  ['86400', '1 day'],
] as const;

/** Mutes the selected resources for a while, starting now. */
function Mute({ onClose }: { onClose: () => void }) {
  const scope = useSignal(EVERYTHING);
  const seconds = useSignal<string>('3600');
  const websites = useWebsites();
  const save = async () => {
    const body = scopeOf(scope.value);
    await muteNow(body, scopeText(body, nameIn(websites.data.value)), Number(seconds.value));
    onClose();
  };
  return (
    <Dialog title="Mute alerts now" onClose={onClose}>
      <p class="muted">Alerts do not trigger. Checks keep running and counting, and status pages do not show it.</p>
      <Form save={save} action="Mute" more={() => <Button onClick={onClose}>Cancel</Button>}>
        {(form) => (
          <>
            <Choice
              label="For"
              error={form.problem('/ends_at')}
              options={LENGTHS}
              value={seconds.value}
              set={into(seconds)}
            />
            <ScopeFields form={form} websites={websites.data.value} value={scope.value} set={into(scope)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
