//! Traces read back equal, and other files are recognised.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use spinach_analysis::trace::{
    Access, AccessReader, AccessWriter, Filter, Instruction, Profile, TraceError, TraceReader, TraceWriter,
};
use spinach_isa::mips::Mips;
use support::{Random, header, random_stream, temporary, trace};

/// An address of up to 64 bits.
fn wide(random: &mut Random) -> u64 {
    let (upper, lower) = (random.word(), random.word());
    u64::from(random.choose(&[0, 1, upper])) << 32 | u64::from(lower)
}

fn random_instruction(random: &mut Random, cycle: u64) -> Instruction {
    Instruction {
        core: random.below(6) as u16,
        task: random.below(3) as u16,
        function: random.below(2),
        pc: wide(random),
        word: random.word(),
        address: (random.below(3) == 0).then(|| wide(random)),
        taken: random.below(2) == 0,
        cycle,
    }
}

fn read_all(reader: &mut TraceReader) -> Vec<Instruction> {
    let mut all = Vec::new();
    loop {
        let group = reader.next_group().unwrap();
        if group.is_empty() {
            return all;
        }
        all.extend_from_slice(group);
    }
}

#[test]
fn instruction_traces_come_back() {
    for (timed, length) in [(true, 300_000), (false, 5000), (true, 0)] {
        let mut random = Random(length);
        let instructions: Vec<Instruction> =
            (0..length).map(|index| random_instruction(&mut random, u64::from(timed) * index * 3)).collect();
        let mut reader = trace("round_trip.parquet", timed, &instructions);
        assert_eq!(reader.is_timed(), timed);
        assert_eq!(reader.header(), &header());
        assert_eq!(reader.instruction_count(), length);
        assert_eq!(read_all(&mut reader), instructions);
        assert!(reader.next_group().unwrap().is_empty());
    }
}

#[test]
fn access_traces_come_back() {
    let mut random = Random(3);
    let accesses: Vec<Access> = (0..200_000)
        .map(|cycle| Access {
            agent: random.below(2) as u16,
            address: wide(&mut random),
            bytes: 1 + random.below(1518),
            write: random.below(2) == 0,
            cycle,
        })
        .collect();
    let path = temporary("accesses.parquet");
    let mut writer = AccessWriter::create(&path, true).unwrap();
    accesses.iter().for_each(|access| writer.push(access).unwrap());
    writer.close(&["mac".to_owned(), "dma".to_owned()]).unwrap();
    let mut reader = AccessReader::open(&path).unwrap();
    assert_eq!((reader.agents().len(), reader.access_count()), (2, 200_000));
    let mut all = Vec::new();
    while let group = reader.next_group().unwrap()
        && !group.is_empty()
    {
        all.extend_from_slice(group);
    }
    assert_eq!(all, accesses);
}

#[test]
fn truncated_traces_are_refused_wherever_they_end() {
    let stream = random_stream(&mut Random(1), 20_000);
    let path = trace("whole.parquet", true, &stream).path().to_owned();
    let whole = std::fs::read(path).unwrap();
    let path = temporary("truncated.parquet");
    for length in [0, 1, 4, 100, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let Err(error) = TraceReader::open(&path) else {
            panic!("{length} bytes of {} are enough", whole.len())
        };
        assert!(matches!(error, TraceError::Incomplete { .. }), "{error}");
        assert_eq!(error.to_string().lines().count(), 2, "{error}");
    }
}

#[test]
fn what_a_killed_writer_leaves_is_read_up_to_its_last_footer() {
    let folder = temporary("killed");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("trace.parquet");
    let stream = random_stream(&mut Random(3), 50_000);
    let mut writer = TraceWriter::create(&path, true).unwrap();
    for instruction in &stream {
        writer.push(instruction).unwrap();
        writer.keep_readable(header).unwrap();
    }
    let partial = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let left = std::fs::read(&partial).unwrap();
    assert!(!path.exists());
    // Groups of 4, 4, 8, 16 thousand rows, and one that is not full: the last footer is that of the fourth.
    for torn in [0, 1, 5] {
        let killed = temporary("killed.parquet");
        let mut bytes = left.clone();
        bytes.truncate(left.len() - torn);
        std::fs::write(&killed, &bytes).unwrap();
        let mut reader = TraceReader::open(&killed).unwrap();
        assert!(!reader.is_complete());
        let mut read = Vec::new();
        while let group = reader.next_group().unwrap()
            && !group.is_empty()
        {
            read.extend_from_slice(group);
        }
        assert_eq!(read.len(), if torn == 0 { 32_768 } else { 16_384 });
        assert_eq!(read, stream[..read.len()]);
    }
    writer.close(&header()).unwrap();
    assert!(!partial.exists());
    let reader = TraceReader::open(&path).unwrap();
    assert!(reader.is_complete());
    assert_eq!(reader.instruction_count(), stream.len() as u64);
}

#[test]
fn damaged_traces_never_panic() {
    let stream = random_stream(&mut Random(2), 20_000);
    let path = trace("sound.parquet", true, &stream).path().to_owned();
    let whole = std::fs::read(path).unwrap();
    let path = temporary("damaged.parquet");
    let mut random = Random(9);
    let mut refused = 0;
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..3 {
            let place = random.below(damaged.len() as u32) as usize;
            damaged[place] ^= 1 << random.below(8);
        }
        std::fs::write(&path, &damaged).unwrap();
        let outcome = TraceReader::open(&path).and_then(|mut reader| {
            while !reader.next_group()?.is_empty() {}
            Ok(())
        });
        refused += u32::from(outcome.is_err());
    }
    assert!(refused > 0);
}

#[test]
fn a_page_that_claims_more_than_its_file_holds_is_refused() {
    let stream = random_stream(&mut Random(3), 100);
    let path = trace("claims.parquet", true, &stream).path().to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    // After the magic number comes the header of a dictionary of one value: its type, its sizes, how many values it has.
    assert_eq!(bytes[4..13], [0x15, 4, 0x15, 8, 0x15, 10, 0x4c, 0x15, 2]);
    bytes[12] = 0x7e;
    std::fs::write(&path, &bytes).unwrap();
    let error = TraceReader::open(&path).and_then(|mut reader| reader.next_group().map(|_| ())).unwrap_err();
    assert!(error.to_string().contains("claims more than the file can hold"), "{error}");
}

#[test]
fn foreign_files_are_told_apart() {
    let instructions = trace("instructions.parquet", false, &[Instruction::default()]).path().to_owned();
    let Err(error) = AccessReader::open(&instructions) else { panic!("an instruction trace has no agents") };
    assert!(matches!(error, TraceError::Foreign { .. }), "{error}");
    let text = temporary("text.parquet");
    std::fs::write(&text, "PAR1 is how such files begin and end. PAR1").unwrap();
    assert!(matches!(TraceReader::open(&text), Err(TraceError::Incomplete { .. })));
    let missing = temporary("missing.parquet");
    let Err(error) = TraceReader::open(&missing) else { panic!("there is no such file") };
    assert!(error.to_string().ends_with("check the path and its permissions"));
    let folder = temporary("no_such_folder").join("trace.parquet");
    assert!(matches!(TraceWriter::create(&folder, true), Err(TraceError::CannotWrite { .. })));

    let unnamed = Instruction { task: 3, ..Instruction::default() };
    let mut reader = trace("unnamed.parquet", false, &[Instruction::default(), unnamed]);
    let error = reader.next_group().unwrap_err().to_string();
    assert!(error.contains("row 1 names task 3, of which the header knows 3\n"), "{error}");

    let filter = Filter { tasks: Some(vec!["sned".to_owned()]), ..Filter::default() };
    let mut reader = trace("named.parquet", false, &[Instruction::default()]);
    let error = Profile::read(&mut reader, &filter, &Mips::default()).unwrap_err().to_string();
    assert!(error.ends_with("has no task called `sned`\nchoose from: unknown, idle, send"), "{error}");
}

#[test]
fn profiles_count_executions_and_entries() {
    let stream = random_stream(&mut Random(4), 5000);
    let profile =
        Profile::read(&mut trace("profile.parquet", false, &stream), &Filter::default(), &Mips::default())
            .unwrap();
    assert_eq!(profile.instructions(), 5000);
    assert_eq!(profile.iter().map(|(_, executions)| executions.total).sum::<u64>(), 5000);
    for (address, executions) in profile.iter() {
        let at = stream.iter().enumerate().filter(|(_, instruction)| instruction.pc == address);
        assert_eq!(executions.total, at.clone().count() as u64);
        let slots = at.clone().filter(|(index, _)| {
            *index > 0 && {
                let before = &stream[index - 1];
                before.taken && before.pc + 4 == address
            }
        });
        assert_eq!(executions.in_delay_slot, slots.count() as u64);
        let entered = at.clone().any(|(index, _)| index == 0 || stream[index - 1].pc + 4 != address);
        assert_eq!(profile.entries().contains(&address), entered);
    }
}

#[test]
fn accesses_of_impossible_lengths_are_refused() {
    let path = temporary("lengths.parquet");
    for (bytes, is_read) in
        [(0, false), (1, true), (1 << 16, true), ((1 << 16) + 1, false), (u32::MAX, false)]
    {
        let mut writer = AccessWriter::create(&path, true).unwrap();
        writer.push(&Access { agent: 0, address: 0, bytes, write: false, cycle: 1 }).unwrap();
        writer.close(&["dma".to_owned()]).unwrap();
        let mut reader = AccessReader::open(&path).unwrap();
        assert_eq!(reader.next_group().is_ok(), is_read, "{bytes} bytes");
    }
}
