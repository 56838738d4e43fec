import { discard, type Draft, drafts } from '../state/drafts';
import { address } from '../state/router';
import { Button } from './layout';

/** What was filled in and not saved: where to go on, or that it is here again. */
export function Unsaved() {
  const shown = drafts.value.filter(({ at, isResumed }) => isResumed || at !== address.value);
  return (
    shown.length > 0 && (
      <aside class="unsaved" aria-label="Unsaved changes">
        {shown.map((draft) => (
          <Line key={draft.at} of={draft} />
        ))}
      </aside>
    )
  );
}

const Line = ({ of: { at, what } }: { of: Draft }) => (
  <p>
    {at === address.value ? (
      'You have not saved this yet.'
    ) : (
      <>
        You have {what}: <a href={`#${at}`}>continue</a>
      </>
    )}{' '}
    <Button class="plain" label={`Discard ${what}`} onClick={() => discard(at)}>
      Discard
    </Button>
  </p>
);
