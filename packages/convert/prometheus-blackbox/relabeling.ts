import { isRecord } from '../../../src/platform/text/json';
import { textIn } from '../foreign-list';

/** A label that names a module. `keepsOwn`: a target without it keeps the job's, else the parameter is emptied. */
export interface ModuleLabel {
  label: string;
  keepsOwn: boolean;
}

/**
 * Whether the rules of a job do what the README of the exporter says: the address becomes the parameter `target`, which is
 * also shown as `instance`, and the exporter is asked. `module`: the label that says the module of each target, where a rule
 * takes it from one. `refused`: why the targets are not known then; `lost`: rules that
 * only change labels.
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
