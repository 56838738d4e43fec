import type { Contact } from '../../api/types';
import { endingSoon } from '../../logic/overview-headline';
import { titleNow, troublesOf } from '../../logic/overview-now';
import { countsOf, type Filters, selected, STATUSES } from '../../logic/overview-order';
import { now } from '../../state/clock';
import { openIncidents } from '../../state/incidents';
import { items, websites } from '../../state/overview-store';
import { setQuery } from '../../state/router';
import { may } from '../../state/session';
import { Icon } from '../icons';
import { Title } from '../layout';
import { Shape, statusWord } from '../status';
import { DownStrip } from './down-strip';
import { Troubles } from './troubles';

/** Shows the state of all endpoints in a sentence, the counters that filter the list, and what is wrong now. */
export function Headline({ filters, contacts }: { filters: Filters; contacts: readonly Contact[] }) {
  const all = items.value ?? [];
  const { status, text } = titleNow(all);
  return (
    <section class="now" aria-label="Overall status">
      <div class="now-head">
        <div>
          <Title tab="Overview">
            <span class={`shape ${status}`}>
              <Shape status={status} size={18} />
            </span>
            {text}
          </Title>
          <Counters filters={filters} />
        </div>
        <DownStrip endpoints={all.length} />
        {may.write() && (
          <a class="button primary" href="#/new" aria-label="Add endpoint">
            <Icon name="plus" /> <span>Add endpoint</span>
          </a>
        )}
      </div>
      <Troubles of={openIncidents.value ? troublesOf(all, openIncidents.value) : []} contacts={contacts} />
    </section>
  );
}

/** Shows how many endpoints are in each status, counting those that match the text and website filters. */
function Counters({ filters }: { filters: Filters }) {
  const { status } = filters;
  const found = selected(items.value ?? [], filters, websites.value ?? []);
  const counts = countsOf(found);
  const ending = endingSoon(found, now.value);
  const shown = STATUSES.filter((each) => counts[each] > 0 || status === each || each === 'down');
  return (
    <div class="counters" role="group" aria-label="Filter by status">
      <button type="button" aria-pressed={status === null} onClick={() => setQuery({ status: null })}>
        <b>{found.length.toLocaleString('en')}</b> <span>All</span>
      </button>
      {shown.map((each) => (
        <button
          type="button"
          key={each}
          class={`${each}${counts[each] > 0 ? ' some' : ''}`}
          aria-pressed={status === each}
          onClick={() => setQuery({ status: status === each ? null : each })}
        >
          <Shape status={each} />
          <b>{counts[each].toLocaleString('en')}</b> <span>{statusWord(each)}</span>
        </button>
      ))}
      {ending > 0 && (
        <a class="button" href="#/certificates" title="Certificates that expire soon">
          <Icon name="clock" size={14} />
          <b>{ending.toLocaleString('en')}</b> <span>{ending === 1 ? 'expires' : 'expire'} soon</span>
        </a>
      )}
    </div>
  );
}
