import { describe, expect, it } from 'vitest';
import { imageSource } from './images.js';

const read = (url: string) => imageSource({ type: 'image', url });

describe('imageSource', () => {
  it('keeps https addresses', () => expect(read('https://a/b.png')).toEqual({ type: 'url', url: 'https://a/b.png' }));

  it('takes data addresses apart', () => {
    expect(read('data:image/png;base64,iVBO')).toEqual({ type: 'base64', mediaType: 'image/png', data: 'iVBO' });
    expect(read('data:IMAGE/JPG;name=a;base64,iVB=')).toEqual({
      type: 'base64',
      mediaType: 'image/jpeg',
      data: 'iVB=',
    });
  });

  it.each([
    'http://a/b.png',
    'file:///b.png',
    'b.png',
    'data:image/svg+xml;base64,AAAA',
    'data:image/png,%89PNG',
    'data:image/png;base64,',
    'data:image/png;base64,not base64!',
    'data:,',
  ])('says why %s cannot be sent', (url) => expect(read(url)).toMatchObject({ type: 'unsupported' }));
});
