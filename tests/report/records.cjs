// Reads an event file with the package tfrecord, which checks every checksum:  NODE_MODULES=FOLDER node records.cjs FILE
// Prints each record in hexadecimal.
const {createRequire} = require('node:module')
const {resolve} = require('node:path')
const {RecordReader} = createRequire(resolve(process.env.NODE_MODULES, 'x.js'))('tfrecord/lib/record_reader.js')

async function main(file) {
    const reader = await RecordReader.create(file)
    for (let record = await reader.readRecord(); record; record = await reader.readRecord())
        console.log(Buffer.from(record).toString('hex'))
    await reader.close()
}

main(process.argv[2]).catch(error => {
    console.error(error.message)
    process.exitCode = 1
})
