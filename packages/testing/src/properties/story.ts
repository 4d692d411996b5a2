/** Formats a run in short lines for debugging. */
import type { LoopEvent } from '@heddle/core';
import type { PlayedRun } from './play.ts';
import type { WorldEvent } from './world.ts';

export function storyOf({ log }: PlayedRun): string {
  return log
    .flatMap((happening, at) => (happening.what === 'asked' ? [] : `${at}  ${lineOf(happening)}`))
    .join('\n');
}

function lineOf(happening: WorldEvent): string {
  switch (happening.what) {
    case 'event':
      return `yields ${eventLine(happening.event)}`;
    case 'request':
      return `REQUEST ${happening.number} ${happening.request.model}`;
    case 'request_end': {
      const { record, stopReason } = happening.end;
      const end = record === 'threw' ? record : record.type === 'done' ? 'done' : record.class;
      return `request ${happening.number} ends: ${end} ${stopReason ?? ''}`;
    }
    case 'effect':
      return `${happening.tool} ${happening.id} begins`;
    case 'effect_end':
    case 'before_hook':
    case 'question':
    case 'question_end':
      return `${happening.what} ${happening.id}`;
    case 'port':
      return happening.port;
    case 'abort':
      return `ABORT ${happening.reason}`;
    case 'end':
      return `END ${JSON.stringify(happening.terminal)}`;
    case 'broke':
      return `BROKE ${happening.how}`;
    case 'asked':
    case 'left':
    case 'gone':
      return happening.what;
  }
}

function eventLine(event: LoopEvent): string {
  if (event.type === 'stream_event') return `stream_event ${String(event.event.type)}`;
  if (event.type !== 'message') return JSON.stringify(event);
  const { message } = event;
  const content = 'content' in message ? message.content : message.attachment;
  const error = message.type === 'assistant' && message.apiError ? ` ERROR ${message.apiError}` : '';
  return `${message.type} ${message.uuid}${error} ${JSON.stringify(content)}`;
}
