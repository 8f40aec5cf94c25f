import { expect, it } from 'vitest'
import { readS3Address } from '../../../../pipelines/rails/blobs/s3-address.ts'

it('names a bucket, the key to it, and the place in it', () => {
  expect(
    readS3Address('s3://AKIA:a%2Fb%2Bc@minio:9000/bucket/one//two/?region=eu-north-1&tls=false'),
  ).toEqual({
    origin: 'http://minio:9000',
    bucket: 'bucket',
    prefix: 'one/two/',
    key: 'AKIA',
    secret: 'a/b+c',
    region: 'eu-north-1',
  })
  expect(readS3Address('s3://s3.eu-north-1.amazonaws.com/bucket')).toEqual({
    origin: 'https://s3.eu-north-1.amazonaws.com',
    bucket: 'bucket',
    prefix: '',
    key: '',
    secret: '',
    region: undefined,
  })
})

it.each([
  '',
  'bucket',
  'https://host/bucket',
  's3:bucket',
  's3:///bucket',
  's3://host',
  's3://host/',
  's3://host/b',
  's3://key@host/bucket',
  's3://:secret@host/bucket',
  's3://key:sec%ret@host/bucket',
  's3://key:sec/ret@host/bucket',
  's3://host/bucket?tls=no',
  's3://host/bucket?acl=public',
  's3://host/bucket#part',
])('refuses %j', text => expect(readS3Address(text)).toBeUndefined())
