//! The single values in the state of a module, with their names, for observers.
//!
//! Any state that can be saved can be walked: this is a format of serde that writes nothing.

use std::fmt::Display;

use serde::ser::{Error, Impossible, SerializeStruct, SerializeTuple, SerializeTupleStruct};
use serde::{Serialize, Serializer};

/// A way into a part of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A field of a structure. A list has one, `length`, and what may be absent one more, `is_present`.
    Field(&'static str),
    /// An element of an array.
    Element(usize),
}

/// A single value of a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Leaf {
    /// A number or a truth, in two's complement, with its bits.
    Bits(u128, u32),
    /// A kind of value, by its number and name.
    Choice(u32, &'static str),
    /// A real number.
    Real(f64),
    /// An optional value that is absent.
    Absent,
}

/// Sees the values of a state, each between entering and leaving where it is.
pub trait LeafVisitor {
    /// Goes a step in; `false` if nothing there is of interest. Then it is not left either.
    fn enters(&mut self, step: Step) -> bool;
    /// Goes back.
    fn leaves(&mut self);
    /// A value where the visitor is.
    fn visit(&mut self, leaf: Leaf);
}

/// Walks over the values of a state. Text, maps and the elements of lists, whose number changes, have none.
///
/// # Errors
/// If the state refuses to be serialised.
pub(crate) fn walk(state: &impl Serialize, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
    match state.serialize(Walk { visitor, elements: 0 }) {
        Ok(()) | Err(End::Enough) => Ok(()),
        Err(End::Refused(reason)) => Err(reason),
    }
}

struct Walk<'a> {
    visitor: &'a mut dyn LeafVisitor,
    // Of the array that is being walked.
    elements: usize,
}

impl Walk<'_> {
    fn enter(&mut self, step: Step, value: &(impl Serialize + ?Sized)) -> Result<(), End> {
        if self.visitor.enters(step) {
            match value.serialize(Walk { visitor: self.visitor, elements: 0 }) {
                Ok(()) | Err(End::Enough) => self.visitor.leaves(),
                refused => return refused,
            }
        }
        Ok(())
    }

    fn bits(self, value: impl Into<u128>, bits: u32) -> Result<(), End> {
        self.visitor.visit(Leaf::Bits(value.into(), bits));
        Ok(())
    }

    fn choice(self, number: u32, name: &'static str) -> Result<(), End> {
        self.visitor.visit(Leaf::Choice(number, name));
        Ok(())
    }

    fn real(self, value: f64) -> Result<(), End> {
        self.visitor.visit(Leaf::Real(value));
        Ok(())
    }
}

/// Why a walk ends early.
#[derive(Debug)]
enum End {
    /// The rest of this part of the state is irrelevant.
    Enough,
    Refused(String),
}

impl Display for End {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Enough => "enough",
            Self::Refused(reason) => reason,
        })
    }
}

impl std::error::Error for End {}

impl Error for End {
    fn custom<T: Display>(message: T) -> Self {
        Self::Refused(message.to_string())
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty as $unsigned:ty),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<(), End> {
            self.bits(value as $unsigned, <$unsigned>::BITS)
        })*
    };
}

impl<'a> Serializer for Walk<'a> {
    type Ok = ();
    type Error = End;
    type SerializeSeq = Impossible<(), End>;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Impossible<(), End>;
    type SerializeMap = Impossible<(), End>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), End>;

    numbers! {
        serialize_i8: i8 as u8, serialize_i16: i16 as u16, serialize_i32: i32 as u32, serialize_i64: i64 as u64,
        serialize_i128: i128 as u128, serialize_u8: u8 as u8, serialize_u16: u16 as u16,
        serialize_u32: u32 as u32, serialize_u64: u64 as u64, serialize_u128: u128 as u128,
        serialize_char: char as u32,
    }

    fn serialize_bool(self, value: bool) -> Result<(), End> {
        self.bits(value, 1)
    }

    fn serialize_f32(self, value: f32) -> Result<(), End> {
        self.real(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), End> {
        self.real(value)
    }

    fn serialize_str(self, _: &str) -> Result<(), End> {
        Ok(())
    }

    fn serialize_bytes(mut self, bytes: &[u8]) -> Result<(), End> {
        self.enter(Step::Field("length"), &(bytes.len() as u64))
    }

    fn serialize_none(mut self) -> Result<(), End> {
        self.enter(Step::Field("is_present"), &false)?;
        self.visitor.visit(Leaf::Absent);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(mut self, value: &T) -> Result<(), End> {
        self.enter(Step::Field("is_present"), &true)?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), End> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), End> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, number: u32, name: &'static str) -> Result<(), End> {
        self.choice(number, name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), End> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        _: &T,
    ) -> Result<(), End> {
        self.choice(number, name)
    }

    fn serialize_seq(mut self, length: Option<usize>) -> Result<Impossible<(), End>, End> {
        if let Some(length) = length {
            self.enter(Step::Field("length"), &(length as u64))?;
        }
        Err(End::Enough)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, End> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, End> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Impossible<(), End>, End> {
        self.choice(number, name)?;
        Err(End::Enough)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), End>, End> {
        Err(End::Enough)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, End> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Impossible<(), End>, End> {
        self.choice(number, name)?;
        Err(End::Enough)
    }
}

impl SerializeStruct for Walk<'_> {
    type Ok = ();
    type Error = End;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), End> {
        self.enter(Step::Field(name), value)
    }

    fn end(self) -> Result<(), End> {
        Ok(())
    }
}

impl SerializeTuple for Walk<'_> {
    type Ok = ();
    type Error = End;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), End> {
        let element = Step::Element(self.elements);
        self.elements += 1;
        self.enter(element, value)
    }

    fn end(self) -> Result<(), End> {
        Ok(())
    }
}

impl SerializeTupleStruct for Walk<'_> {
    type Ok = ();
    type Error = End;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), End> {
        self.serialize_element(value)
    }

    fn end(self) -> Result<(), End> {
        Ok(())
    }
}
