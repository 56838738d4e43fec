import { itemOf, items } from '../../state/overview-store';
import { Chooser } from '../form/chooser';

/** Returns every endpoint as an option. Loads the overview if it isn't loaded yet. */
export function endpointOptions(): (readonly [id: string, title: string])[] {
  itemOf('');
  return (items.value ?? []).map(({ id, name, website }) => [id, `${name} · ${website.name}`] as const);
}

/** Filters a list by website or endpoint. `value` is the ID of the website or endpoint. */
export function TargetFilter({ value, set }: { value: string; set: (value: string) => void }) {
  const websites = new Map((items.value ?? []).map(({ website }) => [website.id, `${website.name} (website)`]));
  return (
    <Chooser
      isFilter
      label="Endpoint or website"
      placeholder="Every endpoint"
      value={value}
      set={set}
      options={[['', 'Every endpoint'], ...websites, ...endpointOptions()]}
    />
  );
}
