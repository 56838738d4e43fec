interface Props<T extends string> {
  label: string;
  options: readonly (readonly [value: T, name: string])[];
  /** `null` if no option is selected. */
  value: T | null;
  set: (value: T) => void;
}

export const Switch = <T extends string>({ label, options, value, set }: Props<T>) => (
  <div class="range" role="group" aria-label={label}>
    {options.map(([each, name]) => (
      <button type="button" key={each} aria-pressed={value === each} onClick={() => set(each)}>
        {name}
      </button>
    ))}
  </div>
);
