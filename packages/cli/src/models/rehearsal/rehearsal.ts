/**
 * The rehearsal model: it needs no network and no key. A word of the prompt chooses a scene, and the scene makes the calls a
 * model would make; everything around them is real. The same conversation always goes the same way.
 */
import type { ModelRequest } from '@heddle/core';
import { say, type ScriptStep } from '@heddle/testing';
import { chatScene, SCENES } from './scenes.ts';
import { situationOf } from './situation.ts';

export function rehearsal(request: ModelRequest): ScriptStep {
  const situation = situationOf(request);
  if (situation.isHandOver) return say(HAND_OVER);
  const scene = SCENES.find(({ word }) => new RegExp(String.raw`\b${word}\b`, 'i').test(situation.wish));
  return (scene?.play ?? chatScene)(situation);
}

const HAND_OVER = `## Intent
To rehearse.

## Decisions
None.

## Files
None that matter.

## Errors and fixes
None.

## State of work
The rehearsal goes on.

## Next step
Wait for the next prompt.`;
