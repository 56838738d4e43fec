import { useId } from 'preact/hooks';
import type { Probe } from '../../api/types';
import { fittingQuorum, possibleLocations, quorumChoices } from '../../logic/location';
import { problemText } from '../../logic/problem-text';
import { may } from '../../state/session';
import { Choice } from './field';
import type { FormState } from './form';

interface Props {
  probes: readonly Probe[];
  /** The endpoint's type. Not every probe supports all types. */
  type: string;
  locations: readonly string[];
  quorum: string;
  problem: FormState['problem'];
  set: (changes: { locations: string[]; quorum: string }) => void;
}

/** Selects the locations that check an endpoint, in order, and how many of them must agree that it is down. */
export function LocationFields({ probes, type, locations, quorum, problem, set }: Props) {
  const id = useId();
  const error = problem('/locations');
  const choose = (location: string, isChosen: boolean) => {
    const others = locations.filter((each) => each !== location);
    const next = isChosen ? [...others, location] : others;
    set({ locations: next, quorum: fittingQuorum(quorum, next.length) });
  };
  return (
    <fieldset class="part locations" aria-describedby={`${id}hint${error === undefined ? '' : ` ${id}error`}`}>
      <legend>Check from</legend>
      {possibleLocations(probes, type, locations).map(({ location, name, note, isClosed }) => {
        const isChosen = locations.includes(location);
        return (
          <div class="check-field" key={location}>
            <input
              id={id + location}
              type="checkbox"
              checked={isChosen}
              aria-invalid={error !== undefined || undefined}
              disabled={!may.write() || (isClosed && !isChosen)}
              onChange={(event) => choose(location, event.currentTarget.checked)}
            />
            <label for={id + location}>
              {name} {note !== '' && <span class="muted small">{note}</span>}
            </label>
          </div>
        );
      })}
      {error !== undefined && (
        <p class="small reason" id={`${id}error`}>
          {problemText('Check from', error)}
        </p>
      )}
      {locations.length > 1 && (
        <Choice
          label="Down when this many locations agree"
          error={problem('/quorum')}
          value={quorum}
          set={(next) => set({ locations: [...locations], quorum: next })}
          options={quorumChoices(locations.length, quorum)}
        />
      )}
      <p class="muted small" id={`${id}hint`}>
        Each probe gets everything that a check needs: the URL, and the headers and secrets of this endpoint.
      </p>
    </fieldset>
  );
}
