//! The attribute `#[guarded]` of the binding.

#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use quote::quote;
use syn::{Block, ImplItem, Item, ReturnType, Signature, Type, parse_macro_input, parse_quote};

/// Makes functions end in a `DefectError` instead of a panic. Those that return no `PyResult` return one afterwards.
///
/// Place it above `#[pyfunction]`, or above `#[pymethods]` for all methods of the block.
#[proc_macro_attribute]
pub fn guarded(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as Item);
    match &mut item {
        Item::Fn(function) => guard(&mut function.sig, &mut function.block, ""),
        Item::Impl(block) => {
            let class = last_name(&block.self_ty);
            for member in &mut block.items {
                if let ImplItem::Fn(method) = member {
                    guard(&mut method.sig, &mut method.block, &class);
                }
            }
        }
        other => {
            let message = "`guarded` goes above a function or the methods of a class";
            return syn::Error::new_spanned(other, message).to_compile_error().into();
        }
    }
    quote!(#item).into()
}

fn guard(signature: &mut Signature, block: &mut Block, class: &str) {
    let function = signature.ident.to_string();
    let name = if class.is_empty() { function } else { format!("{class}.{function}") };
    let returned: Type = match &signature.output {
        ReturnType::Type(_, returned) => (**returned).clone(),
        ReturnType::Default => parse_quote!(()),
    };
    if last_name(&returned) == "PyResult" {
        *block = parse_quote!({ crate::defects::guard(#name, move || -> #returned { #block }) });
        return;
    }
    // The separate closure lets `return` in the block still return a plain value.
    *block = parse_quote!({ crate::defects::guard(#name, move || Ok((move || -> #returned { #block })())) });
    signature.output = parse_quote!(-> ::pyo3::PyResult<#returned>);
}

/// The last name of a path, without parameters.
fn last_name(class: &Type) -> String {
    match class {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}
