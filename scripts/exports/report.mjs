// Creates one report for each path that package.json exports: every export with its signature, and every type that it
// refers to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { format, resolveConfig } from 'prettier';

/**
 * API Extractor remarks that aren't part of a signature. Without them, changing a docstring doesn't change a report.
 */
const REMARKS = /^ *\/\/ (@public( \(undocumented\))?|\(undocumented\)|\(No @packageDocumentation .*\))\n/gm;
const SILENT = { default: { logLevel: 'none' } };

/** Returns `uptime-monitor/checker` for `./checker`. */
export const importPath = (name, path) => join(name, path);

/** Returns `checker.api.md` for `./checker`. */
export const reportName = (path) => `${path === '.' ? 'index' : path.slice(2)}.api.md`;

/** Returns `uptime-monitor/checker` for `checker.api.md`. */
export function reportedPath(name, file) {
  const path = file.replace(/\.api\.md$/, '');
  return importPath(name, path === 'index' ? '.' : path);
}

function configOf(root, folder, { path, file }) {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const entry = join(folder, file);
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      compiler: {
        overrideTsconfig: {
          // Without this folder, it would search for `types` in the working directory and fail at the first
          // `AbortSignal`.
          compilerOptions: { ...compilerOptions, rootDir: root, typeRoots: [join(root, 'node_modules/@types')] },
          files: [entry],
        },
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFileName: reportName(path),
        reportFolder: folder,
        reportTempFolder: join(folder, 'reports'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: { compilerMessageReporting: SILENT, extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
    },
  });
}

const headOf = (name) =>
  `# \`${name}\`\n\nWhat it exports, and what that mentions without exporting it. Written by \`npm run exports\`.\n`;

/** Maps filenames to the report text for each path. Throws if a declaration can't be read. */
export async function reportsOf(root, folder, name, paths) {
  const style = await resolveConfig(join(root, 'docs/exports/index.api.md'));
  const configs = paths.map((path) => configOf(root, folder, path));
  const [first, ...others] = configs;
  // Uses one program for all paths, because they mostly read the same files.
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  const reports = configs.map(async (config, index) => {
    const messageCallback = (message) => (message.handled = true);
    Extractor.invoke(config, { compilerState, localBuild: true, messageCallback });
    const [, code = ''] = /^```ts\n(.*)^```$/ms.exec(readFileSync(config.reportTempFilePath, 'utf8')) ?? [];
    const { path } = paths[index];
    const text = `${headOf(importPath(name, path))}\n\`\`\`ts\n${code.replace(REMARKS, '')}\`\`\`\n`;
    return [reportName(path), await format(text, { ...style, parser: 'markdown' })];
  });
  return Object.fromEntries(await Promise.all(reports));
}
