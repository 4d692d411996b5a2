/** `rewind_files`: the files as they were when a message came, in the words that clients know. */
import type { CheckpointStore } from '@heddle/tools';

export async function rewindFiles(
  checkpoints: CheckpointStore | undefined,
  messageId: string,
  dryRun: boolean,
): Promise<object> {
  if (!checkpoints) return { canRewind: false, error: 'This session keeps nothing, and so no files either.' };
  const rewound = await checkpoints.rewind(messageId, { dryRun });
  if (!rewound.canRewind) return rewound;
  const { filesChanged, insertions, deletions, skippedLinks, failed } = rewound;
  const error = failed.map(({ path, why }) => `${path}: ${why}`).join('\n');
  if (filesChanged.length === 0 && error !== '') return { canRewind: false, error };
  return {
    canRewind: true,
    filesChanged,
    insertions,
    deletions,
    ...(dryRun ? {} : { skippedLinks: skippedLinks.length }),
    ...(error === '' ? {} : { error }),
  };
}
