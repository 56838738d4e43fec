import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { post } from '../../api/client';
import type { HeartbeatPreview } from '../../api/types';
import { type HeartbeatDraft, heartbeatBody } from '../../logic/heartbeat-draft';
import { secondsOf, spanOf, spanText } from '../../logic/time-span';
import { OWN_ZONE, zonedTime, zones } from '../../logic/zoned-time';
import { errorMessage } from '../../state/toast';
import { Chooser } from '../form/chooser';
import { Text } from '../form/field';
import type { FormState } from '../form/form';
import { TimeSpanField } from '../form/time-span';
import { Switch } from '../switch';
import '../../styles/heartbeat.css';

const WAYS = [
  ['period', 'By period'],
  ['cron', 'By cron'],
] as const;
const UNITS = ['minutes', 'hours', 'days'] as const;

/** Common periods, in seconds. */
const PERIODS = [300, 3600, 86_400, 604_800];
const SCHEDULES = [
  ['0 * * * *', 'each hour'],
  ['0 3 * * *', 'each night at 03:00'],
  ['0 3 * * SUN', 'Sundays'],
  ['0 3 1 * *', 'the first of the month'],
] as const;

interface Props {
  value: HeartbeatDraft;
  set: (changes: Partial<HeartbeatDraft>) => void;
  problem: FormState['problem'];
}

/** The fields that define when a job should report, and when it is late. */
export function ScheduleFields({ value, set, problem }: Props) {
  const preview = usePreview(value);
  const at = (field: string) => problem(`/heartbeat/${field}`);
  const grace = preview.found.value && `Default: ${spanText(preview.found.value.grace)}.`;
  return (
    <fieldset class="schedule">
      <legend>When the job reports</legend>
      <Switch label="Schedule" options={WAYS} value={value.by} set={(by) => set({ by })} />
      {value.by === 'period' ? (
        <div>
          <TimeSpanField
            label="A ping every"
            hint="Measured from the previous ping."
            error={at('every')}
            units={UNITS}
            value={value.every}
            set={(every) => set({ every })}
          />
          <Chips
            label="Usual periods"
            options={PERIODS.map((seconds) => [seconds, spanText(seconds)] as const)}
            chosen={secondsOf(value.every)}
            choose={(seconds) => set({ every: spanOf(seconds, 'hours') })}
          />
        </div>
      ) : (
        <div class="form-row">
          <div>
            <Text
              label="Cron expression"
              hint="Minute, hour, day, month, and weekday, as in a crontab."
              error={at('cron')}
              placeholder="0 3 * * *"
              value={value.cron}
              set={(cron) => set({ cron })}
            />
            <Chips
              label="Usual schedules"
              options={SCHEDULES}
              chosen={value.cron.trim()}
              choose={(cron) => set({ cron })}
            />
          </div>
          <Chooser
            label="Time zone"
            placeholder="Choose a time zone"
            error={at('timezone')}
            value={value.timezone}
            set={(timezone) => set({ timezone })}
            options={zones().map((zone) => [zone, zone] as const)}
          />
        </div>
      )}
      <div class="form-row times">
        <TimeSpanField
          label="Grace period"
          hint={grace || 'Default: a tenth of the period, between a minute and an hour.'}
          error={at('grace')}
          placeholder="default"
          units={UNITS}
          value={value.grace}
          set={(span) => set({ grace: span })}
        />
        <TimeSpanField
          label="Maximum run time"
          hint="For jobs that also send a start ping. Leave empty for no limit."
          error={at('max_runtime')}
          placeholder="no limit"
          units={UNITS}
          value={value.max_runtime}
          set={(max_runtime) => set({ max_runtime })}
        />
      </div>
      <NextTimes
        zone={value.by === 'cron' ? value.timezone : OWN_ZONE}
        {...preview}
        isByPeriod={value.by === 'period'}
      />
    </fieldset>
  );
}

interface ChipsProps<T> {
  label: string;
  options: readonly (readonly [value: T, name: string])[];
  chosen: T | null;
  choose: (value: T) => void;
}

const Chips = <T extends string | number>({ label, options, chosen, choose }: ChipsProps<T>) => (
  <div class="tags usual" role="group" aria-label={label}>
    {options.map(([value, name]) => (
      <button type="button" class="tag" key={value} aria-pressed={value === chosen} onClick={() => choose(value)}>
        {name}
      </button>
    ))}
  </div>
);

const DEBOUNCE_MS = 250;
const SHOWN = 5;

/** Loads the schedule's next times from the service while the user types. */
function usePreview(value: HeartbeatDraft) {
  const found = useSignal<HeartbeatPreview | null>(null);
  const refused = useSignal('');
  const heartbeat = heartbeatBody(value);
  const key = JSON.stringify(heartbeat);
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      const { grace: _, ...timing } = heartbeat;
      // Omits the grace period, so that the response contains the default.
      post<HeartbeatPreview>('/api/v1/endpoints/heartbeat/preview', { heartbeat: timing }).then(
        (preview) => {
          if (isOld) return;
          found.value = preview;
          refused.value = '';
        },
        (error: unknown) => {
          if (isOld) return;
          found.value = null;
          refused.value = errorMessage(error);
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key]);
  return { found, refused };
}

type NextTimesProps = ReturnType<typeof usePreview> & { zone: string; isByPeriod: boolean };

/** Shows the next times in the schedule's time zone and in the browser's time zone. */
function NextTimes({ found, refused, zone, isByPeriod }: NextTimesProps) {
  const times = (found.value?.expected_at ?? []).slice(0, SHOWN);
  return (
    <div class="next-times" role="status">
      <p class="label">Next expected{isByPeriod && ', if a ping arrived now'}</p>
      {refused.value !== '' && <p class="muted">{refused.value}</p>}
      <ol>
        {times.map((at) => (
          <li key={at}>
            {zonedTime(at, zone)}
            {zone !== OWN_ZONE && <span class="muted"> · your time {zonedTime(at, OWN_ZONE)}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}
