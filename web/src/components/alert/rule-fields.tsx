import { isPager, type RuleDraft } from '../../logic/alert-rule';
import { channelName } from '../../logic/channel-name';
import { Check, Choice, Text } from '../form/field';
import type { FormState } from '../form/form';
import { TimeSpanField } from '../form/time-span';

interface Props {
  form: FormState;
  /** Where the fields stand in the request: at its root, or in a contact's defaults. */
  pointer: '' | '/alert_defaults';
  /** The channel type: pagers get no reminders. */
  type: string;
  value: RuleDraft;
  set: (changes: Partial<RuleDraft>) => void;
}

/** When an alert triggers, resolves and reminds: of an alert, or what alerts through a contact begin with. */
export function RuleFields({ form, pointer, type, value, set }: Props) {
  const problem = (field: keyof RuleDraft) => form.problem(`${pointer}/${field}`);
  const threshold = (key: 'failure_threshold' | 'success_threshold', label: string) => (
    <Text
      label={label}
      type="number"
      min={1}
      max={100}
      error={problem(key)}
      value={value[key]}
      set={(text) => set({ [key]: text })}
    />
  );
  return (
    <>
      <Choice
        label="Notifies when it is"
        hint={value.condition === 'degraded' ? 'Degraded: up, but a condition that is a warning fails.' : undefined}
        error={problem('condition')}
        value={value.condition}
        set={(text) => set({ condition: text === 'degraded' ? text : 'down' })}
        options={[
          ['down', 'down'],
          ['degraded', 'down or degraded'],
        ]}
      />
      <div class="form-row">
        {threshold('failure_threshold', 'Triggers after failures in a row')}
        {threshold('success_threshold', 'Resolves after successes in a row')}
      </div>
      <div class="form-row times">
        <TimeSpanField
          label="Only when it was bad for"
          hint="In addition to the failures. With 0 the failures alone decide."
          error={problem('after')}
          units={['minutes', 'hours']}
          value={value.after}
          set={(after) => set({ after })}
        />
        {isPager(type) ? (
          <div class="field">
            <p class="label">Reminders</p>
            <p class="hint">{channelName(type)} reminds by itself, so it is sent none.</p>
          </div>
        ) : (
          <TimeSpanField
            label="Reminds every"
            hint="Until it is resolved. Empty: no reminders."
            error={problem('remind_every')}
            placeholder="never"
            units={['minutes', 'hours', 'days']}
            value={value.remind_every}
            set={(remind_every) => set({ remind_every })}
          />
        )}
      </div>
      <Check
        label="Also notify when it is resolved"
        value={value.send_on_resolved}
        set={(send_on_resolved) => set({ send_on_resolved })}
      />
    </>
  );
}
