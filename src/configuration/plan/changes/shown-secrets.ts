import { pointerStep } from '../../../platform/problem/constraint-codes';
import { isRecord } from '../../../platform/text/json';
import { isReference } from '../kept-secrets';
import type { Planning } from './planning';

type Path = readonly (string | number)[];

/**
 * Refuses secrets in settings that plans and readers are shown: who may change a document in a pull request could have
 * those of the pipeline printed by its plan. `at`: the pointer of the value. True when there was one.
 */
export function refusesShown(
  { findings, secrets }: Pick<Planning, 'findings' | 'secrets'>,
  at: string,
  value: unknown,
  isHidden: (path: Path) => boolean,
): boolean {
  let isRefused = false;
  const visit = (item: unknown, path: Path, pointer: string): void => {
    if (isReference(item) || secrets.has(pointer)) {
      if (isHidden(path)) return;
      isRefused = true;
      findings.add({ pointer, code: 'invalid_config', message: shown(path) });
    } else if (Array.isArray(item))
      item.forEach((each: unknown, index) => visit(each, [...path, index], `${pointer}/${index}`));
    else if (isRecord(item))
      for (const [name, each] of Object.entries(item)) visit(each, [...path, name], `${pointer}/${pointerStep(name)}`);
  };
  visit(value, [], at);
  return isRefused;
}

const shown = (path: Path): string =>
  `${path.findLast((step) => typeof step === 'string') ?? 'this'} is shown to everybody who may read it: write the value itself; {$secret: …} stands for credentials and for addresses of receivers`;
