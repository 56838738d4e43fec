import { isRecord } from '../../../src/platform/text/json';
import { textIn } from '../foreign-list';

/**
 * A label that names a module. With `keepsOwn`, a target without the label uses the job's module. Otherwise, its
 * parameter is cleared.
 */
export interface ModuleLabel {
  label: string;
  keepsOwn: boolean;
}

/**
 * Checks whether a job's relabeling rules follow the exporter's README: the address becomes the `target` parameter and
 * the `instance` label, and the exporter is scraped. `module` is the label that contains each target's module, if a
 * rule uses one. `refused` says why the targets are unknown. `lost` has the rules that only change labels.
 */
export function readRelabeling(rules: readonly unknown[]): {
  isTarget: boolean;
  refused: string | null;
  lost: string[];
  module: ModuleLabel | null;
} {
  let isTarget = false;
  let module: ModuleLabel | null = null;
  const lost: string[] = [];
  for (const [i, rule] of rules.entries()) {
    const members = isRecord(rule) ? rule : {};
    const target = textIn(members, 'target_label');
    const sources = Array.isArray(members['source_labels']) ? members['source_labels'].map(String) : [];
    const isPlain =
      /^(|replace)$/i.test(textIn(members, 'action')) &&
      /^(|\(\.\*\)|\^?\(\.\*\)\$?|\(\.\+\))$/.test(textIn(members, 'regex')) &&
      /^(|\$1|\$\{1\})$/.test(textIn(members, 'replacement'));
    const source = sources.join(',');
    if (target === '__param_target' && source === '__address__' && isPlain) isTarget = true;
    else if (target === '__param_module' && sources.length === 1 && !source.startsWith('__') && isPlain)
      module = { label: source, keepsOwn: textIn(members, 'regex') === '(.+)' };
    else if (target === '__address__' && sources.length === 0) continue;
    else if (target === 'instance') continue;
    else if (target !== '' && !target.startsWith('__') && /^(|replace)$/i.test(textIn(members, 'action')))
      lost.push(target);
    else {
      const what = target === '' ? textIn(members, 'action') || 'replace' : target;
      return {
        isTarget,
        lost,
        module,
        refused: `its relabel rule ${i + 1} (${what}) changes the target, which is not supported`,
      };
    }
  }
  return { isTarget, lost, module, refused: null };
}
