import { spanProblem, type TimeSpan, type TimeUnit } from '../../logic/time-span';
import { Field, optionsOf } from './field';

interface Props {
  label: string;
  hint?: string | undefined;
  /** The server's error message about the number of seconds. */
  error: string | undefined;
  /** The meaning of an empty field. */
  placeholder?: string;
  units: readonly TimeUnit[];
  value: TimeSpan;
  set: (value: TimeSpan) => void;
}

/** A field for entering a duration as a number and a unit. */
export const TimeSpanField = ({ label, hint, error, placeholder, units, value, set }: Props) => (
  <Field label={label} hint={hint} error={error && spanProblem(error)}>
    {(control) => (
      <div class="amount">
        <input
          {...control}
          type="number"
          min={0}
          step="any"
          placeholder={placeholder}
          value={value.amount}
          onInput={(event) => set({ ...value, amount: event.currentTarget.value })}
        />
        <select
          aria-label={`${label}: unit`}
          disabled={control.disabled}
          value={value.unit}
          onChange={(event) => {
            const unit = units.find((each) => each === event.currentTarget.value);
            if (unit) set({ ...value, unit });
          }}
        >
          {optionsOf(units.includes(value.unit) ? units : [value.unit, ...units])}
        </select>
      </div>
    )}
  </Field>
);
