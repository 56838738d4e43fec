import { all } from '../../api/client';
import type { Contact, Invitation, Person } from '../../api/types';
import { firstSteps } from '../../logic/first-steps';
import { useEvery, useLoad } from '../../state/load';
import { items } from '../../state/overview-store';
import { hasFirstSteps, setFirstSteps } from '../../state/overview-view';
import { may } from '../../state/session';
import { Icon } from '../icons';
import { Button } from '../layout';

/** A checklist for the first hour. The steps tick themselves, and the user can dismiss it in this browser. */
export const FirstSteps = ({ contacts }: { contacts: readonly Contact[] | undefined }) =>
  hasFirstSteps.value && contacts ? <List contacts={contacts.length} /> : null;

function List({ contacts }: { contacts: number }) {
  const rest = useLoad('first-steps', async (signal) => {
    const pages = await all<unknown>('/api/v1/status-pages', signal);
    if (!may.admin()) return { pages: pages.length, people: null };
    const people = await all<Person>('/api/v1/people', signal);
    const invited = await all<Invitation>('/api/v1/invitations', signal);
    return { pages: pages.length, people: people.length + invited.length };
  });
  useEvery(60, rest.reload);
  const { value } = rest.data;
  if (!value) return null;
  const steps = firstSteps({ endpoints: items.value?.length ?? 0, contacts, ...value });
  if (steps.length === 0) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <div class="head">
        <div>
          <h2 id="first-steps">First steps</h2>
          <p class="muted small">
            {done} of {steps.length} done
          </p>
        </div>
        <Button class="plain" onClick={() => setFirstSteps(false)}>
          Dismiss
        </Button>
      </div>
      <ol>
        {steps.map(({ id, title, text, href, action, isDone }) => (
          <li key={id} class={isDone ? 'done' : undefined}>
            <span class="tick">
              {isDone && <Icon name="check" size={12} />}
              <span class="sr">{isDone ? 'Done: ' : 'To do: '}</span>
            </span>
            <div>
              <strong>{title}</strong>
              {!isDone && <p class="muted small">{text}</p>}
            </div>
            {/* Without an endpoint, the page has this button already. */}
            {!isDone && id !== 'endpoint' && (
              <a class="button" href={href}>
                {action}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
