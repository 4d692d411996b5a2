/** Rooms that are closed after each test. */
import { afterEach } from 'vitest';
import { type Room, type RoomOptions, roomFor } from './room.ts';

export function rooms(): (options?: RoomOptions) => Room {
  let opened: Room[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((room) => room.close()));
    opened = [];
  });
  return (options = {}) => {
    const room = roomFor(options);
    opened.push(room);
    return room;
  };
}
