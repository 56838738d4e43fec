import { firstAlertText, isPager, type RuleDraft } from '../../logic/alert-rule';
import { channelName } from '../../logic/channel-name';
import { Check, Choice, Text } from '../form/field';
import type { FormState } from '../form/form';
import { TimeSpanField } from '../form/time-span';

interface Props {
  form: FormState;
  /** The JSON pointer to the fields in the request: the root, or a contact's defaults. */
  pointer: '' | '/alert_defaults';
  /** The channel type. Pagers receive no reminders. */
  type: string;
  value: RuleDraft;
  set: (changes: Partial<RuleDraft>) => void;
}

/**
 * The fields that control when an alert triggers, resolves, and sends reminders. They edit an alert rule or a contact's
 * defaults.
 */
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
        label="Notify when it is"
        hint={value.condition === 'degraded' ? 'Degraded: up, but a warning condition fails.' : undefined}
        error={problem('condition')}
        value={value.condition}
        set={(text) => set({ condition: text === 'degraded' ? text : 'down' })}
        options={[
          ['down', 'down'],
          ['degraded', 'down or degraded'],
        ]}
      />
      <div class="form-row">
        {threshold('failure_threshold', 'Failures in a row to trigger')}
        {threshold('success_threshold', 'Successes in a row to resolve')}
      </div>
      <p class="hint">{firstAlertText(value)}</p>
      <div class="form-row times">
        <TimeSpanField
          label="Wait before triggering"
          hint="Applies in addition to the failure threshold. 0 means no extra delay."
          error={problem('after')}
          units={['minutes', 'hours']}
          value={value.after}
          set={(after) => set({ after })}
        />
        {isPager(type) ? (
          <div class="field">
            <p class="label">Reminders</p>
            <p class="hint">{channelName(type)} sends its own reminders, so this service sends none.</p>
          </div>
        ) : (
          <TimeSpanField
            label="Remind every"
            hint="Until the alert is resolved. Leave empty for no reminders."
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
